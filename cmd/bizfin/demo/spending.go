package demo

import (
	"time"

	"bizfin/internal/money"
)

// habit is something that is paid again and again.
type habit struct {
	account     int
	times       int // a month
	least, most money.Amount
	line        string
}

// habits are what is bought on no fixed day.
var habits = []habit{
	{card, 4, 18_40, 142_00, "AMZN MKTP US*{x9} AMZN.COM/BILL WA"},
	{card, 2, 46_00, 228_00, "COSTCO WHSE #0118 RICHMOND CA"},
	{card, 2, 96_00, 284_00, "ULINE *SHIP SUPPLIES 800-295-5510 IL"},
	{card, 1, 22_00, 96_00, "STAPLES 00107714 EMERYVILLE CA"},
	{card, 1, 24_00, 138_00, "THE HOME DEPOT #0627 EMERYVILLE CA"},
	{card, 6, 11_20, 74_00, "USPS PO 05606602{2} OAKLAND CA"},
	{card, 2, 24_00, 92_00, "UPS*{x9} 800-811-1648 GA"},
	{card, 3, 90_00, 185_00, "FACEBK *{x8} MENLO PARK CA"},
	{card, 2, 150_00, 320_00, "GOOGLE *ADS{8} CC@GOOGLE.COM CA"},
	{card, 3, 41_00, 68_00, "CHEVRON 0093{4} OAKLAND CA"},
	{card, 2, 3_50, 14_00, "PAYBYPHONE *OAKLAND 8883310444"},
	{card, 3, 5_25, 16_80, "BLUE BOTTLE COFFEE OAKLAND CA"},
	{card, 2, 24_00, 96_00, "TST* COPPER SPOON OAKLAND CA"},
	{card, 2, 14_00, 38_00, "CHIPOTLE 1{3} EMERYVILLE CA"},
	{card, 1, 28_00, 72_00, "UBER *TRIP HELP.UBER.COM CA"},
	{checking, 2, 1_450_00, 2_680_00, "HOLLIS MARR DES:INVOICE ID:{8} INDN:JUNIPER PRESS CO ID:4471120098 CCD"},
	{checking, 1, 220_00, 540_00, "HARBOR PRINTING SUPPLIES INC DES:PAYMENT ID:{6} INDN:JUNIPER PRESS CO " +
		"ID:2210448871 CCD"},
}

// bill is paid on the same day of each month, always alike but for what is used.
type bill struct {
	account     int
	day         int
	least, most money.Amount // equal: the same every month
	line        string
}

var bills = []bill{
	{checking, 1, 3_850_00, 3_850_00, "MILL STREET PROPERTIES LLC DES:RENT ID:{6} INDN:JUNIPER PRESS CO " +
		"ID:1204471109 CCD"},
	{checking, 9, 164_00, 312_00, "PACIFIC GAS AND ELECTRIC DES:WEB ONLINE ID:{8} INDN:JUNIPER PRESS CO " +
		"ID:5940742640 WEB"},
	{checking, 14, 58_00, 96_00, "EAST BAY MUNICIPAL UTILITY DISTRICT DES:UTIL BILL ID:{7} INDN:JUNIPER PRESS"},
	{checking, 17, 142_10, 149_80, "VERIZON WIRELESS DES:PAYMENTS ID:{8} INDN:JUNIPER PRESS CO ID:6223344794 CCD"},
	{checking, 20, 186_00, 186_00, "HISCOX INC DES:INSURANCE ID:{8} INDN:JUNIPER PRESS CO ID:1202927995 CCD"},
	{checking, 5, 52_00, 58_00, "GUSTO DES:FEE {6} ID:6SEMJ{x6} INDN:JUNIPER PRESS CO ID:9138864007 CCD"},
	{checking, 28, 16_00, 16_00, "MONTHLY FEE BUSINESS ADV FUNDAMENTALS"},
	{card, 2, 59_99, 59_99, "ADOBE *CREATIVE CLOUD 408-536-6000 CA"},
	{card, 3, 105_00, 105_00, "SHOPIFY* {9} SHOPIFY.COM NY"},
	{card, 4, 30_00, 30_00, "INTUIT *QBOOKS ONLINE CL.INTUIT.COM CA"},
	{card, 6, 43_20, 43_20, "GOOGLE *GSUITE JUNIPERP CC@GOOGLE.COM CA"},
	{card, 8, 45_00, 45_00, "MAILCHIMP *MISC MAILCHIMP.COM GA"},
	{card, 11, 19_99, 19_99, "DROPBOX*{x8} DROPBOX.COM CA"},
	{card, 12, 19_99, 19_99, "STAMPS.COM 855-608-2677 TX"},
	{card, 15, 26_25, 26_25, "SLACK T0{x8} SLACK.COM CA"},
	{card, 16, 89_00, 139_00, "COMCAST BUSINESS 800-391-3000 CA"},
	{card, 18, 12_99, 12_99, "CANVA* I0{4} CANVA.COM DE"},
	{card, 21, 54_99, 54_99, "ADT SECURITY*{9} 800-238-2727 FL"},
	{card, 23, 139_00, 139_00, "PUBLIC STORAGE 2{4} OAKLAND CA"},
	{card, 24, 160_00, 160_00, "LAKE MERRITT JANITORIAL SERVICES OAKLAND CA"},
	{card, 26, 14_99, 14_99, "ZOOM.US 888-799-9666 WWW.ZOOM.US CA"},
	{card, 27, 34_00, 61_00, "ETSY.COM SELLER FEES 718-880-3660 NY"},
}

// once is what happens on one day of the year.
type once struct {
	account     int
	month       time.Month
	day         int
	least, most money.Amount
	line        string
}

var onces = []once{
	{checking, 2, 12, 18_400_00, 18_400_00,
		"WIRE TYPE:WIRE OUT DATE:{date} TIME:0915 ET TRN:{year}{8} BNF:CROWN HILL " +
			"MACHINERY LTD ID:88100 BNF BK:HSBC PMT DET:PROOF PRESS"},
	{checking, 2, 12, 45_00, 45_00, "OUTGOING WIRE FEE"},
	{checking, 2, 3, 400_00, 900_00, "TERRACE LEDGER CPA GROUP DES:INVOICE ID:{5} INDN:JUNIPER PRESS"},
	{checking, 4, 7, 1_200_00, 1_800_00, "TERRACE LEDGER CPA GROUP DES:INVOICE ID:{5} INDN:JUNIPER PRESS"},
	{checking, 8, 4, 400_00, 600_00, "TERRACE LEDGER CPA GROUP DES:INVOICE ID:{5} INDN:JUNIPER PRESS"},
	{checking, 3, 19, 210_00, 420_00, "CHECK 1187"},
	{checking, 10, 8, 210_00, 420_00, "CHECK 1188"},
	{checking, 5, 6, 185_00, 185_00, "CUSTOMER CHARGEBACK {4} DISPUTE VISA"},
	{checking, 12, 15, 92_40, 92_40, "CUSTOMER CHARGEBACK {4} DISPUTE MASTERCARD"},
	{card, 1, 14, 110_00, 140_00, "CITY OF OAKLAND BUSINESS LICENSE OAKLAND CA"},
	{card, 1, 22, 340_00, 460_00, "DELTA AIR 006{9} ATLANTA GA"},
	{card, 2, 2, 620_00, 880_00, "HAMPTON INN NYC CHELSEA NEW YORK NY"},
	{card, 2, 1, 24_00, 62_00, "UBER *TRIP HELP.UBER.COM CA"},
	{card, 2, 2, 31_00, 78_00, "TST* BISTRO LANTERN NEW YORK NY"},
	{card, 2, 3, 18_00, 44_00, "CORNER PIZZA NEW YORK NY"},
	{card, 2, 4, 24_00, 62_00, "LYFT *RIDE TUE 9AM LYFT.COM CA"},
	{card, 1, 9, 1_850_00, 1_850_00, "STATIONERY TRADE SHOW EXPO NEW YORK NY"},
	{card, 8, 5, 188_00, 296_00, "SOUTHWES 526{9} DALLAS TX"},
	{card, 8, 12, 410_00, 560_00, "HILTON GARDEN INN SEATTLE WA"},
	{card, 8, 13, 38_00, 96_00, "PIER OYSTER HOUSE RESTAURANT SEATTLE WA"},
	{card, 3, 11, 899_00, 899_00, "B&H PHOTO 800-606-6969 NY"},
	{card, 4, 22, 21_17, 21_17, "GODADDY.COM 480-505-8855 AZ"},
	{card, 5, 13, 95_00, 95_00, "ANNUAL MEMBERSHIP FEE"},
	{card, 6, 3, 240_00, 310_00, "BAY AREA SIGNS AND BANNERS OAKLAND CA"},
	{card, 7, 16, 295_00, 295_00, "OAKLAND METROPOLITAN CHAMBER OF COMMERCE CA"},
	{card, 9, 10, 14_99, 14_99, "UDEMY ONLINE COURSE UDEMY.COM CA"},
	{card, 9, 22, 320_00, 480_00, "JACK LONDON PLUMBING AND HEATING OAKLAND CA"},
	{card, 10, 20, 412_00, 520_00, "VISTAPRINT 866-207-4955 MA"},
	{card, 11, 30, 100_00, 100_00, "AMERICAN RED CROSS 800-733-2767 DC"},
}

// spend writes purchases and bills.
func (b *books) spend() {
	for _, h := range habits {
		c := b.chance(h.line)
		for month := time.January; month <= time.December; month++ {
			for range h.times {
				day := b.day(month, 1+c.IntN(28))
				if h.account == checking {
					day = banking(day)
				}
				b.add(c, h.account, day, -c.between(h.least, h.most), h.line)
			}
		}
	}
	for _, p := range bills {
		c := b.chance(p.line)
		for month := time.January; month <= time.December; month++ {
			day := b.day(month, p.day)
			if p.account == checking {
				day = banking(day)
			}
			b.add(c, p.account, day, -c.between(p.least, p.most), p.line)
		}
	}
	for _, o := range onces {
		c := b.chance(o.line + o.month.String())
		day := b.day(o.month, o.day)
		if o.account == checking {
			day = banking(day)
		}
		b.add(c, o.account, day, -c.between(o.least, o.most), o.line)
	}
}
