package decide

import (
	"regexp"
	"time"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// What is bought from Thanksgiving to Christmas at shops that sell everything, and electronics, is presents.
var (
	presentsFrom = season{time.November, 24}
	presentsTo   = season{time.December, 24}
)

// presentsBelow is where presents end: what costs more is as often a machine, bought before the year is over.
const presentsBelow money.Amount = 1_000_00

// smallPresents is from which amount on what such shops sell otherwise is presents in those weeks.
const smallPresents money.Amount = 50_00

// Trips of the summer are the family's where nothing but a word of the name says lodging; flights are where several
// are paid at once, and before Christmas.
var (
	summerFrom = season{time.June, 16}
	summerTo   = season{time.August, 15}
)

const familyFlight money.Amount = 500_00

// aloneBelow is what somebody spends who eats alone, which is no meal of the business's.
const aloneBelow money.Amount = 20_00

// tuitionFrom is from which amount on schools are paid for somebody's year, and not for a course, by the bank.
const tuitionFrom money.Amount = 500_00

// privately is how sure such a suggestion is.
const privately money.Ratio = 5000

// season is a day of any year.
type season struct {
	month time.Month
	day   int
}

// between reports whether a day is from one of the year to another later one.
func between(at time.Time, from, to season) bool {
	day := season{at.Month(), at.Day()}
	return !day.before(from) && !to.before(day)
}

func (s season) before(o season) bool {
	return s.month < o.month || s.month == o.month && s.day < o.day
}

// supposePrivate suggests of what reads like a cost that it is the owner's own where most of such money is, by when it
// was spent and how much: of the labelled books (`go test ./internal/decide -run TestWhatIsSupposedPrivate -v`). A
// business that says that nothing private is paid so has none.
func (d *Decision) supposePrivate(memory questions.Memory) {
	category, ok := ontology.ScheduleC().ByID(d.CategoryID)
	if !ok || !category.Kind.OnForm() || d.Row.Amount >= 0 || memory.Told(questions.Private) == questions.PrivateNo {
		return
	}
	reason := ""
	switch {
	case d.Channel == "card":
		reason = whyPrivate(d.Decision, category, -d.Row.Amount, d.Row.PrimaryDate)
	case d.Channel == "p2p" && category.Path == "expense.rent.vehicles_equipment" && d.Class == "word.guess":
		reason = "most of what is paid for rentals by an app is a holiday"
	case isHomeRent(d.Decision, -d.Row.Amount):
		reason = "most of what is paid so in such sums is the rent of a home"
	case category.Path == "expense.other.education" && d.Channel != "p2p" && -d.Row.Amount >= tuitionFrom:
		reason = "most of what schools are paid so in such sums is somebody's tuition"
	}
	if reason != "" {
		own, _ := ontology.ScheduleC().ByPath("personal.living")
		d.CategoryID, d.Confidence, d.Reason = own.ID, privately, d.Reason+"; "+reason
	}
}

// whyPrivate is why a purchase that seems to be of a category is more likely private, empty where it is not.
func whyPrivate(said categorize.Decision, category *ontology.Category, amount money.Amount, day time.Time) string {
	presents := between(day, presentsFrom, presentsTo)
	byWord := said.Class == "word.sure" || said.Class == "word.likely"
	switch everything := said.Class == "merchant.mixed"; {
	case everything && presents && amount < presentsBelow && category.Path == "expense.depreciation.equipment_purchase",
		everything && presents && amount >= smallPresents && category.Path == "expense.office.supplies":
		return "most of what such shops sell before Christmas is presents"
	case category.Path == "expense.travel.air" && (amount >= familyFlight || presents):
		return "most flights that cost so much, or are booked before Christmas, are a family's"
	case category.Path == "expense.travel.lodging" && byWord && between(day, summerFrom, summerTo):
		return "most such stays in summer are holidays"
	case category.Path == "expense.meals" && amount < aloneBelow && (byWord || said.Class == "merchant.both"):
		return "most of what costs so little is eaten alone"
	default:
		return ""
	}
}

// What is paid to somebody unknown by the bank, in whole dollars from one thousand to below two, is the rent of a home
// more often than of a shop, whose landlords are called so: a square, a plaza, a business park.
const (
	homeRentFrom money.Amount = 1_000_00
	homeRentTo   money.Amount = 2_000_00
)

func isHomeRent(said categorize.Decision, amount money.Amount) bool {
	return said.Class == "unknown_out" && (said.Channel == "bill" || said.Channel == "ach") &&
		amount >= homeRentFrom && amount < homeRentTo && amount%1_00 == 0 &&
		!letsToFirms.MatchString(said.Counterparty.Name)
}

// letsToFirms is in the names of those that let to firms, or are paid by them alone.
var letsToFirms = regexp.MustCompile(`(?i)\b(sq|square|plaza|mall|business|commerce|industrial|llp)\b`)
