package questions

import "bizfin/internal/money"

// What a new business is asked about itself, once there is enough to see that it matters. An answer decides nothing; it
// is what suggestions go by.
var (
	// Trade is what the business sells above all.
	Trade = Key{company, "trade"}
	// Private is whether private things are paid from its accounts too.
	Private = Key{company, "private"}
)

// The answers about the business that suggestions go by.
const (
	TradeFood     = "food"
	TradeGoods    = "goods"
	TradeServices = "services"
	TradeProperty = "property"
	PrivateYes    = "private"
	PrivateNo     = "business only"
)

// A new business is asked about itself once so many rows have come, and so much was spent in shops that sell to
// families and firms alike. With StillNew rows it is new no more.
const (
	EnoughRows              = 100
	StillNew                = 1000
	mixedToAsk money.Amount = 500_00
)

// How much truer an answer makes the profit, in percent of what was spent in such shops: it changes suggestions, some
// of them for the worse, and few owners pay nothing private (decide's TestWhatIsToldOfTheBusinessIsWorthWhatItMends).
const (
	tradeMends   = 5
	privateMends = 1
)

// AboutBusiness is what to ask a new business about itself, given what it spent in shops that sell to families and
// firms alike: what is suggested of that follows from the answers.
func AboutBusiness(mixed money.Total) []Group {
	if mixed.Compare(money.TotalOf(mixedToAsk)) < 0 {
		return nil
	}
	none := "Nothing is counted by it; what is suggested follows from it."
	return []Group{{
		Topic: Topic{Key: Trade.String()}, Currency: "USD", Worth: mixed.Percent(tradeMends),
		Question: Question{
			Key: Trade, Kind: KindCategory, Text: "What does the business sell, above all?",
			Why: "What it buys, and who pays it, reads differently for each of these.",
			Options: []Option{
				{Value: TradeServices, Label: "Services or work", Description: none},
				{Value: TradeGoods, Label: "Goods that it makes or buys", Description: none},
				{Value: TradeFood, Label: "Food and drink", Description: none},
				{Value: TradeProperty, Label: "Rents of property", Description: none},
			},
		},
	}, {
		Topic: Topic{Key: Private.String()}, Currency: "USD", Worth: mixed.Percent(privateMends),
		Question: Question{
			Key: Private, Kind: KindCategory, Text: "Are private things paid from these accounts, too?",
			Why: "Shops that sell to families and firms alike do not show whom something was bought for.",
			Options: []Option{
				{Value: PrivateYes, Label: "Yes, now and then", Role: RoleYes, Description: none},
				{Value: PrivateNo, Label: "No, they are the business's alone", Role: RoleNo, Description: none},
			},
		},
	}}
}

// OfBusiness reports whether an answer about the key says what the business is, and decides nothing.
func (k Key) OfBusiness() bool { return k == Trade || k == Private }

// Told is what the business said of itself; empty where it did not.
func (m Memory) Told(k Key) string { return m.said[Topic{Key: k.String()}].Note }
