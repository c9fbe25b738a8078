package demo

import (
	"time"

	"bizfin/internal/money"
)

// pay writes what people and tax offices get: wages and their taxes, the photographer, income tax, sales tax, the
// owner.
func (b *books) pay() {
	c := b.chance("payroll")
	for day := range b.fridays() {
		net := c.between(3_940_00, 4_460_00)
		if day.Month() >= time.November { // more hands before Christmas
			net += 880_00
		}
		b.add(c, checking, day, -net, "GUSTO DES:NET {6} ID:6SEMJ{x6} INDN:JUNIPER PRESS CO ID:9138864001 CCD")
		b.add(c, checking, day, -(net * 38 / 100),
			"GUSTO DES:TAX {6} ID:6SEMJ{x6} INDN:JUNIPER PRESS CO ID:9138864001 CCD")
	}
	c = b.chance("photographer")
	for day := range b.fridays() {
		b.add(c, checking, day, -c.between(7, 12)*50_00, "ZELLE PAYMENT TO MARISOL QUENTIN CONF# {x9}")
	}
	c = b.chance("taxes")
	for _, quarter := range []time.Time{b.day(1, 15), b.day(4, 15), b.day(6, 16), b.day(9, 15)} {
		b.add(c, checking, banking(quarter), -2_900_00,
			"IRS EST TAX 1040ES DES:USATAXPYMT ID:{x9} INDN:ANA DIAZ CO ID:3387702000 WEB")
		b.add(c, checking, banking(quarter), -740_00,
			"FRANCHISE TAX BO DES:PAYMENTS ID:{9} INDN:DIAZ ANA CO ID:1282532045 WEB")
	}
	for _, month := range []time.Month{time.January, time.April, time.July, time.October} {
		b.add(c, checking, banking(b.day(month, 30)), -c.between(2_450_00, 3_650_00),
			"CDTFA EPMT DES:28221 CDTFA EPMT ID:{8} INDN:JUNIPER PRESS CO ID:2822162215 CCD")
	}
	c = b.chance("owner")
	for month := time.January; month <= time.December; month++ {
		b.add(c, checking, banking(b.day(month, 25)), -3_800_00, "OWNER DRAW {month}")
	}
}

// move writes what only changes place: savings, the card's payments; and the loan for the press with its payments.
func (b *books) move() {
	c := b.chance("moves")
	both := func(from, to int, day time.Time, amount money.Amount, out, in string) {
		b.add(c, from, day, -amount, out)
		b.add(c, to, day, amount, in)
	}
	for month := time.January; month <= time.December; month++ {
		both(checking, savings, banking(b.day(month, 10)), money.Amount(8+c.IntN(8))*100_00,
			"ONLINE BANKING TRANSFER TO SAV 2210 CONFIRMATION# {9}",
			"ONLINE BANKING TRANSFER FROM CHK 4471 CONFIRMATION# {9}")
		b.add(c, savings, b.day(month, 28), c.between(14_10, 38_90), "INTEREST EARNED")
	}
	for _, month := range []time.Month{time.April, time.September} {
		both(savings, checking, banking(b.day(month, 11)), 4_500_00,
			"ONLINE BANKING TRANSFER TO CHK 4471 CONFIRMATION# {9}",
			"ONLINE BANKING TRANSFER FROM SAV 2210 CONFIRMATION# {9}")
	}
	owed := b.accounts[card].Opening
	for month := time.January; month <= time.December; month++ {
		day := banking(b.day(month, 5))
		both(checking, card, day, -owed, "CHASE CREDIT CRD DES:AUTOPAY ID:{9} INDN:JUNIPER PRESS CO ID:4760039224 PPD",
			"AUTOMATIC PAYMENT - THANK YOU")
		owed = 0
		for _, r := range b.accounts[card].Rows {
			if r.Day.Month() == month && r.Description != "AUTOMATIC PAYMENT - THANK YOU" {
				owed += r.Amount
			}
		}
	}
	b.add(c, checking, banking(b.day(time.February, 6)), 20_000_00,
		"ONDECK CAPITAL DES:FUNDING ID:OD{6} INDN:JUNIPER PRESS CO ID:1260512233 CCD")
	for month := time.March; month <= time.December; month++ {
		b.add(c, checking, banking(b.day(month, 6)), -942_18,
			"ONDECK CAPITAL DES:LOAN PMT ID:OD{6} INDN:JUNIPER PRESS CO ID:1260512233 CCD")
	}
}

// giveBack writes refunds of earlier purchases on the card, whole or in part.
func (b *books) giveBack() {
	for _, refund := range []struct {
		of, line string
		month    time.Month
		percent  money.Amount
	}{
		{"STAPLES", "PURCHASE RETURN AUTHORIZED ON {day} STAPLES 00107714 EMERYVILLE CA CARD 9012", time.March, 100},
		{"ULINE", "ULINE *SHIP SUPPLIES 800-295-5510 IL REFUND", time.May, 50},
		{"ADOBE", "ADOBE *REFUND 408-536-6000 CA", time.July, 100},
		{"VISTAPRINT", "VISTAPRINT 866-207-4955 MA REFUND", time.October, 25},
	} {
		c := b.chance("refund " + refund.of)
		for _, r := range b.accounts[card].Rows {
			if r.Day.Month() == refund.month && len(r.Description) > len(refund.of) &&
				r.Description[:len(refund.of)] == refund.of {
				b.add(c, card, r.Day.AddDate(0, 0, 4+c.IntN(8)), -r.Amount*refund.percent/100, refund.line)
				break
			}
		}
	}
}
