package demo

// Year makes the accounts of a business with their rows of a calendar year.
func Year(seed uint64, year int) []Account {
	b := &books{seed: seed, year: year, accounts: []Account{
		checking: {ExternalID: "checking", Name: "Business Checking 4471", Type: "depository", Currency: "USD",
			Opening: 38_480_66},
		savings: {ExternalID: "savings", Name: "Business Savings 2210", Type: "depository", Currency: "USD",
			Opening: 9_250_00},
		card: {ExternalID: "card", Name: "Ink Business Card 9012", Type: "credit", Currency: "USD",
			Opening: -2_914_37},
		euro: {ExternalID: "euro", Name: "Euro Account 7734", Type: "depository", Currency: "EUR",
			Opening: 4_120_55},
	}}
	b.sell()
	b.pay()
	b.spend()
	b.trade()
	b.giveBack()
	b.move()
	b.close()
	return b.accounts
}
