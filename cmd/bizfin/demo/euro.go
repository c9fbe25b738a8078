package demo

import (
	"time"

	"bizfin/internal/money"
)

// trade writes the account in euros: customers in Europe pay into it, paper and type are bought out of it, some of it
// in pounds.
func (b *books) trade() {
	c := b.chance("euro sales")
	for month := time.January; month <= time.December; month++ {
		for _, day := range []int{7, 14, 21, 28} {
			at := banking(b.day(month, day))
			b.add(c, euro, at, seasonal(at, c.between(160_00, 480_00)),
				"STRIPE PAYMENTS EUROPE DES:TRANSFER ID:ST-{x8} INDN:JUNIPER PRESS")
		}
	}
	for _, h := range []struct {
		every       int // months
		day         int
		currency    string
		least, most money.Amount
		line        string
	}{
		{1, 11, "EUR", 320_00, 690_00, "WIRE TYPE:WIRE OUT DATE:{date} TRN:{year}{8} BNF:PAPIERFABRIK SEEBACH GMBH " +
			"BNF BK:COMMERZBANK PMT DET:INV {5}"},
		{2, 16, "EUR", 140_00, 360_00, "WIRE TYPE:WIRE OUT DATE:{date} TRN:{year}{8} BNF:COLORIFICIO BELLINI SRL BNF " +
			"BK:INTESA PMT DET:INV {4}"},
		{3, 19, "GBP", 180_00, 420_00, "WIRE TYPE:WIRE OUT DATE:{date} TRN:{year}{8} BNF:THREE RIVERS PAPER LTD BNF " +
			"BK:LLOYDS PMT DET:INV {5}"},
		{3, 8, "EUR", 34_00, 88_00, "CARD PURCHASE DHL EXPRESS BONN DE"},
		{1, 27, "EUR", 12_00, 12_00, "OUTGOING WIRE FEE"},
	} {
		c := b.chance(h.line)
		for month := time.Month(h.every); month <= time.December; month += time.Month(h.every) {
			b.addIn(c, euro, banking(b.day(month, h.day)), -c.between(h.least, h.most), h.currency, h.line)
		}
	}
	c = b.chance("frankfurt")
	for _, o := range []struct {
		day         int
		least, most money.Amount
		line        string
	}{
		{22, 380_00, 520_00, "CARD PURCHASE LUFTHANSA FRANKFURT DE"},
		{24, 290_00, 410_00, "CARD PURCHASE MOTEL ONE FRANKFURT DE"},
		{24, 18_00, 46_00, "CARD PURCHASE FRANKFURT TAXI SERVICE DE"},
		{25, 22_00, 58_00, "CARD PURCHASE RESTAURANT LINDENHOF FRANKFURT DE"},
	} {
		b.add(c, euro, b.day(time.January, o.day), -c.between(o.least, o.most), o.line)
	}
}
