package demo

import (
	"time"

	"bizfin/internal/money"
)

// customer buys wholesale or has things designed, and pays invoices.
type customer struct {
	line        string
	least, most money.Amount
	months      []time.Month // none: every month
}

var customers = []customer{
	{"NORTHGATE BOOKS INC DES:VENDOR PMT ID:INV{4} INDN:JUNIPER PRESS CO ID:1771204418 CTX", 1_450_00, 2_900_00, nil},
	{"HARTWELL HOTELS LLC DES:AP PAYMENT ID:INV{4} INDN:JUNIPER PRESS CO ID:9921034471 CCD", 2_100_00, 3_800_00, nil},
	{"FERN HOLLOW WINERY LLC DES:INVOICE ID:INV{4} INDN:JUNIPER PRESS CO ID:4410022113 CCD", 900_00, 2_400_00, nil},
	{"BRIGHTWATER DENTAL GROUP LLC DES:INVOICE ID:INV{4} INDN:JUNIPER PRESS CO ID:3310442098 CCD", 380_00, 760_00, nil},
	{"PAPER LANTERN GIFTS INC DES:VENDOR PMT ID:INV{4} INDN:JUNIPER PRESS CO ID:7714420093 CTX", 640_00, 1_900_00,
		[]time.Month{2, 4, 6, 8, 9, 10, 11}},
	{"LAKESIDE MUSEUM STORE CORP DES:VENDOR PMT ID:INV{4} INDN:JUNIPER PRESS CO ID:1188204410 CTX", 1_100_00, 3_200_00,
		[]time.Month{3, 5, 9, 10, 11, 12}},
	{"WIRE TYPE:WIRE IN DATE:{date} TIME:1102 ET TRN:{year}{8} ORIG:CALDERA ROBOTICS INC ID:881 SND BK:US BANK " +
		"PMT DET:INV {4}", 4_800_00, 8_600_00, []time.Month{1, 4, 7, 10}},
}

// sell writes what comes in: cards at the counter, the online shop, Etsy, invoices, fairs.
func (b *books) sell() {
	c := b.chance("square")
	for day := range b.days() {
		if open(day) {
			takings := seasonal(day, c.between(290_00, 860_00))
			b.add(c, checking, banking(day.AddDate(0, 0, 1)), takings,
				"SQUARE INC DES:SQ{date} ID:T3{x8} INDN:JUNIPER PRESS CO ID:9424300002 CCD")
		}
	}
	c = b.chance("stripe")
	for day := range b.days() {
		if day.Weekday() == time.Tuesday || day.Weekday() == time.Friday {
			b.add(c, checking, banking(day), seasonal(day, c.between(640_00, 1_560_00)),
				"STRIPE DES:TRANSFER ID:ST-{x8} INDN:JUNIPER PRESS CO ID:1800948598 CCD")
		}
	}
	c = b.chance("etsy")
	for day := range b.days() {
		if day.Weekday() == time.Monday {
			b.add(c, checking, banking(day), seasonal(day, c.between(180_00, 520_00)),
				"ETSY INC DES:PAYMENT ID:{x8} INDN:JUNIPER PRESS CO ID:1770245612 CCD")
		}
	}
	c = b.chance("invoices")
	for _, customer := range customers {
		for month := time.January; month <= time.December; month++ {
			due := len(customer.months) == 0
			for _, m := range customer.months {
				due = due || m == month
			}
			if due {
				b.add(c, checking, banking(b.day(month, 4+c.IntN(22))), c.between(customer.least, customer.most),
					customer.line)
			}
		}
	}
	c = b.chance("fairs")
	for _, month := range []time.Month{time.May, time.September, time.December} {
		b.add(c, checking, banking(b.day(month, 11+c.IntN(12))), c.between(30, 90)*20_00,
			"ATM CASH DEPOSIT {day} GRAND LAKE OAKLAND CA")
	}
}

func seasonal(day time.Time, amount money.Amount) money.Amount {
	return amount * money.Amount(season(day.Month())) / 100
}
