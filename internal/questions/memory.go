package questions

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/split"
)

// Memory is what a business answered: what decides the next rows, what was said without deciding, and which
// counterparties are one.
type Memory struct {
	Lines    categorize.Memory
	Business categorize.Business // what it is called
	Services []string            // payment services at which it has accounts
	Held     []string            // names of its accounts that hold what belongs to others

	categories map[Topic]decided
	said       map[Topic]Words
	same       map[string]categorize.Counterparty // by the key of another
	splits     []Answered                         // those that divide rows: the n-th is category -n of the others
	read       map[uuid.UUID][]string             // what lines read that an answer is about, by its id
	learned    int
	owed       map[string]bool      // whoever paid in what the business owes to others, as it said, by their keys
	lent       map[string]time.Time // by [BrandOf], whoever lent to the business, from when on
	seenToLend map[string]time.Time // those of them whom no answer says so of
	waiting    map[string]bool      // keys of checks of one amount that an open question is about
	answers    []Answered           // what all this was learned from
	taxApart   bool                 // sales tax that customers pay is no part of the receipts
	passesOn   bool                 // clients pay it what it passes on, as it said
}

// Own learns from the names of the business's accounts where they are and whose money they hold.
func (m *Memory) Own(accounts []string) {
	for _, name := range accounts {
		if service := categorize.ServiceOf(name); service != "" {
			m.Services = append(m.Services, service)
		}
		if categorize.HeldForOthers(name) {
			m.Held = append(m.Held, name)
		}
	}
}

// MovesHeld reports whether a line moves money from or to an account that holds what belongs to others, or may move it
// from one: own is whether it reads like a move of the business's own money, and other the account that it names by its
// last digits, where it names one. named are those of the account that it surely is of.
func (m Memory) MovesHeld(l Line, other string, own bool) (named string, moves bool) {
	for _, name := range m.Held {
		tail := categorize.AccountTail(name)
		switch {
		case categorize.MovesBy(l.Description, tail):
			return tail, true
		case own && l.Incoming() && (other == "" || tail == "" || other == tail):
			moves = true
		}
	}
	return "", moves
}

// Words is an answer that decided no category.
type Words struct {
	Note     string
	Mixed    bool      // rows keep no category at all
	AnswerID uuid.UUID // as that of Said
}

// Remember reads the answers of a business, oldest first.
func Remember(answers []Answered) Memory {
	m := Memory{
		Lines:      categorize.NewMemory(),
		categories: map[Topic]decided{},
		said:       map[Topic]Words{},
		same:       map[string]categorize.Counterparty{},
		read:       map[uuid.UUID][]string{},
		lent:       map[string]time.Time{},
		seenToLend: map[string]time.Time{},
		waiting:    map[string]bool{},
		owed:       map[string]bool{},
		answers:    answers,
	}
	answers = slices.Clone(answers)
	for i, a := range answers {
		if a.Incoming && saidIn(a.CategoryID, a.Split, []int{LoanProceeds.ID}) {
			lends(m.lent, a.CounterpartyKey, a.day())
		}
		if of := CounterpartyOf(a.CounterpartyKey); of != "" && a.Incoming && owedIn(a.CategoryID, a.Split) {
			m.owed[of] = true
		}
		m.taxApart = m.taxApart || taxIn(a.CategoryID, a.Split)
		m.passesOn = m.passesOn || passedOnIn(a.CounterpartyKey, a.Incoming, a.CategoryID, a.Split)
		if reads := ParseKey(a.CounterpartyKey).reads(); reads != nil && a.AnswerID != uuid.Nil {
			m.read[a.AnswerID] = reads
		}
		if a.Split != nil {
			m.splits = append(m.splits, a)
			category := -len(m.splits)
			answers[i].CategoryID = &category
		}
	}
	next, known := map[string]string{}, map[string]categorize.Counterparty{}
	for _, a := range answers {
		if a.SameAs == nil {
			continue
		}
		next[a.CounterpartyKey] = *a.SameAs
		if a.SameAsName != nil {
			known[*a.SameAs] = categorize.Counterparty{
				Key: *a.SameAs, Name: *a.SameAsName, Type: *a.SameAsType, Relationship: *a.SameAsRelationship,
				Website: value(a.SameAsWebsite), Confidence: *a.SameAsConfidence,
			}
		}
	}
	others := map[string][]string{} // the keys that mean a counterparty
	for key := range next {
		at := key
		for range next { // at most so many steps, whatever was answered
			if further, ok := next[at]; ok {
				at = further
			}
		}
		if is, ok := known[at]; ok {
			m.same[key] = is
			others[at] = append(others[at], key)
		}
	}
	m.learnAll(answers, others)
	return m
}

// learnAll learns each answer for its own key and for those that mean the same counterparty. What was answered about a
// key itself counts before what was answered about the counterparty, and that before what was answered about another of
// its keys.
func (m *Memory) learnAll(answers []Answered, others map[string][]string) {
	decided := map[Topic]bool{}
	for _, a := range answers {
		if a.CategoryID != nil && a.SameAs == nil {
			decided[Topic{a.CounterpartyKey, a.Incoming}] = true
		}
	}
	for _, a := range answers {
		m.learn(a, a.CounterpartyKey)
		counterparty := a.CounterpartyKey
		if same, ok := m.same[counterparty]; ok {
			counterparty = same.Key
			if a.CategoryID == nil || a.SameAs != nil || decided[Topic{counterparty, a.Incoming}] {
				continue
			}
			m.learn(a, counterparty)
		}
		for _, key := range others[counterparty] {
			if key != a.CounterpartyKey && !decided[Topic{key, a.Incoming}] {
				m.learn(a, key)
			}
		}
	}
}

func (m *Memory) learn(a Answered, key string) {
	topic := Topic{key, a.Incoming}
	answer := categorize.Answer{ID: a.AnswerID, CounterpartyKey: key, Incoming: a.Incoming, Amount: a.Amount,
		Relationship: value(a.Relationship)}
	if a.CategoryID != nil {
		before := m.categories[topic]
		if (a.Leftover || before.severally()) && !a.Several && !a.Whole && before.outweighs(a) {
			m.categories[topic] = before.with(a) // of 27 deposits of customers and one own the next may be either
			return
		}
		answer.CategoryID = *a.CategoryID
		m.learned++
		uses := []Answered{a}
		if a.Several {
			uses = append(before.uses[:len(before.uses):len(before.uses)], a)
		}
		var splits []*split.Spec // the last answers, as far as they divide
		if a.Split != nil {
			splits = append(slices.Clip(before.splits), a.Split)
		}
		m.categories[topic] = decided{Said{*a.CategoryID, a.AnswerID}, max(before.largest, a.Largest, a.Amount,
			-a.Amount), uses, a.Whole, m.learned, splits,
			before.differ || before.place > 0 && before.CategoryID != *a.CategoryID}
	}
	m.Lines.Learn(answer)
	switch {
	case a.CategoryID != nil: // where answers differ by amount, the person decides these rows, and is asked again
		delete(m.said, topic)
	case a.SameAs == nil:
		note := value(a.Note)
		if note == "" {
			note = answer.Relationship
		}
		m.said[topic] = Words{note, a.Mixed, a.AnswerID}
	}
}

// Same is the counterparty that another one is, by the other's key.
func (m Memory) Same(key string) (categorize.Counterparty, bool) {
	c, ok := m.same[key]
	return c, ok
}

// ReadsOtherwise reports whether an answer was about lines that read like something else than a line that reads like a
// category: what was said of a shop among others that sell fuel is not said of the groceries that it sells, too.
func (m Memory) ReadsOtherwise(answer uuid.UUID, category int) bool {
	reads, of := m.read[answer]
	c, known := ontology.ScheduleC().ByID(category)
	like := func(path string) bool { return c.Is(path) || ontology.MustPath(path).Is(c.Path) }
	return of && known && !c.Is(ontology.Uncategorized) && !slices.ContainsFunc(reads, like)
}

// SplitOf is the answer that a category of the memory stands for, where it is one that divides rows, and whether it
// divides this one too.
func (m Memory) SplitOf(categoryID int, l Line) (a Answered, holds, ok bool) {
	if categoryID >= 0 || -categoryID > len(m.splits) {
		return Answered{}, false, false
	}
	a = m.splits[-categoryID-1]
	return a, a.Split.Holds(a.Amount, l.Amount, l.Currency, l.PrimaryDate.Year()), true
}

// Lapsed says of a row why what the business answered for one of the keys says nothing of it any more: it was amounts
// of its year, and the payments of that are others now. Empty where it is not so, or a later answer says them anew.
func (m Memory) Lapsed(l Line, keys ...Key) string {
	year := l.PrimaryDate.Year()
	for _, k := range keys {
		for _, s := range slices.Backward(m.categories[Topic{k.String(), k.Incoming(l)}].splits) {
			if s.Yearly && s.About(l.Currency, year) {
				break
			}
			if s.In(l.Currency) && slices.Contains(s.Lapsed, year) {
				return fmt.Sprintf("You said %s of the payments of %d, which are others now: what you said does not "+
					"fit them any more.", money.TotalOf(s.Fixed()), year)
			}
		}
	}
	return ""
}

// decides reports whether a category of the memory may decide a row: one that divides by amounts may not, where the row
// is of another amount.
func (m Memory) decides(categoryID int, l Line) bool {
	_, holds, divides := m.SplitOf(categoryID, l)
	return !divides || holds
}

// Decided is the category that the business answered for a key, about rows like this one.
func (m Memory) Decided(k Key, l Line) (said Said, ok bool) {
	d, ok := m.categories[Topic{k.String(), k.Incoming(l)}]
	return d.Said, ok && m.decides(d.CategoryID, l)
}

// Alike is what the business answered for a key, of rows that a rule reads like this one: no rule outranks it. stands
// is whether the row would be established without; where it is not, what it reads does not matter.
func (m Memory) Alike(k Key, l Line, accountType string, reads int, stands bool) (said Said, ok bool) {
	d := m.categories[Topic{k.String(), k.Incoming(l)}]
	if len(d.uses) != 1 || d.differ || m.ReadsOtherwise(d.AnswerID, reads) || stands && !d.uses[0].reads(reads) {
		return Said{}, false
	}
	return d.Said, m.Covers(k, l, accountType) && m.decides(d.CategoryID, l)
}

// reads reports whether rows that the answer was about read a category.
func (a Answered) reads(category int) bool {
	return slices.Contains(strings.Split(a.Reads, ","), strconv.Itoa(category))
}

// SaidOf is what the business answered of rows with a counterparty whose lines read like a category: that category, or
// parts of which it is one. Where it answered several such things, none.
func (m Memory) SaidOf(about Key, l Line, reads int) (said Said, ok bool) {
	size := max(l.Amount, -l.Amount)
	reading, ok := ontology.ScheduleC().ByID(reads)
	if !ok {
		return Said{}, false
	}
	like := func(id int) bool {
		c, known := ontology.ScheduleC().ByID(id)
		return known && reading.Is(c.Path)
	}
	ok = false
	for _, a := range m.categories[Topic{about.String(), about.Incoming(l)}].uses {
		divided, holds, divides := m.SplitOf(value(a.CategoryID), l)
		is := like(value(a.CategoryID)) || // amounts of the year are of the rows that they were said of
			divides && holds && !divided.Split.Yearly &&
				slices.ContainsFunc(divided.Split.Parts, func(s split.Share) bool { return like(s.Category) })
		switch {
		case !is, a.Contradicted, slices.Contains(l.LeftOpenBy, a.AnswerID),
			size > widest*max(a.Largest, a.Amount, -a.Amount):
		case ok:
			return Said{}, false
		default:
			said, ok = Said{*a.CategoryID, a.AnswerID}, true
		}
	}
	return said, ok
}

// Lends learns of open questions that seem to be about money that was lent.
func (m *Memory) Lends(loans ...Loan) {
	for _, l := range loans {
		lends(m.lent, l.Key, l.Since)
		lends(m.seenToLend, l.Key, l.Since)
	}
}

// day is the day of the one row that was answered; of more the first is not known, and it is the beginning of time.
func (a Answered) day() time.Time {
	if value(a.RowCount) != 1 {
		return time.Time{}
	}
	return value(a.Newest)
}

// lends notes the first day from which on somebody lent.
func lends(lent map[string]time.Time, key string, since time.Time) {
	brand := BrandOf(CounterpartyOf(key))
	if first, ok := lent[brand]; brand != "" && (!ok || since.Before(first)) {
		lent[brand] = since
	}
}

// Waits learns of open questions, by their keys, about checks of one amount.
func (m *Memory) Waits(keys ...string) {
	for _, key := range keys {
		m.waiting[key] = true
	}
}

// Waiting reports whether checks of one amount, by their key, wait for an answer of their own, which is not that of
// other checks.
func (m Memory) Waiting(key Key) bool { return m.waiting[key.String()] }

// With is the memory with others that lent, by [BrandOf], from a day on.
func (m Memory) With(lent map[string]time.Time) Memory {
	all := maps.Clone(lent)
	maps.Copy(all, m.lent)
	m.lent = all
	return m
}

// Blank is the memory of a business that answered nothing yet.
func (m Memory) Blank() Memory {
	return Memory{Business: m.Business, Services: m.Services, Held: m.Held, lent: m.seenToLend,
		waiting: m.waiting}
}

// IsBlank reports whether the business answered nothing yet that decides rows.
func (m Memory) IsBlank() bool { return len(m.categories) == 0 }

// Without is the memory as it would be had an answer never been given.
func (m Memory) Without(answer uuid.UUID) Memory {
	w := Remember(slices.DeleteFunc(slices.Clone(m.answers), func(a Answered) bool { return a.AnswerID == answer }))
	w.Business, w.Services, w.Held = m.Business, m.Services, m.Held
	maps.Copy(w.lent, m.seenToLend)
	maps.Copy(w.seenToLend, m.seenToLend)
	maps.Copy(w.waiting, m.waiting)
	maps.Copy(w.owed, m.owed) // what they pay out was never the business's alone
	return w
}

// Lent reports whether a counterparty, or another part of its firm, lent to the business by a day, or seems to have. Of
// what was answered or asked before the day is not known: it did.
func (m Memory) Lent(counterpartyKey string, day time.Time) bool {
	first, ok := m.lent[BrandOf(counterpartyKey)]
	return ok && !day.Before(first)
}

// Owes reports whether the business said of money that a counterparty paid in that it owes some of it.
func (m Memory) Owes(counterpartyKey string) bool {
	return m.owed[counterpartyKey] || m.owed[m.same[counterpartyKey].Key]
}

// TaxApart reports whether the business said that sales tax is no part of its receipts.
func (m Memory) TaxApart() bool { return m.taxApart }

// PassesOn reports whether the business said that clients pay it what it passes on, of money that names nobody.
func (m Memory) PassesOn() bool { return m.passesOn }

// Ruled is the category that the business answered for all money of a counterparty in the direction of this row, unless
// it answered for the use of the row later. No rule outranks it.
func (m Memory) Ruled(about, use Key, l Line, accountType string) (said Said, ok bool) {
	d, ok := m.categories[Topic{about.String(), about.Incoming(l)}]
	if !ok || !d.whole || m.categories[Topic{use.String(), use.Incoming(l)}].place > d.place {
		return Said{}, false
	}
	return d.Said, m.Covers(about, l, accountType) && m.decides(d.CategoryID, l)
}

// Superseded reports whether the business answered for all money of a counterparty later than for a use: what it said
// of that before holds no more, also where what it says now does not decide a row, as it was amounts of another year.
func (m Memory) Superseded(use, about Key, l Line) bool {
	d := m.categories[Topic{about.String(), about.Incoming(l)}]
	return use != about && d.whole && d.place > m.categories[Topic{use.String(), use.Incoming(l)}].place
}

// oneOff are categories of what happens once: who was lent to, or paid a deposit, is not lent to by the next payment.
func oneOff(c *ontology.Category) bool {
	return c != nil && slices.ContainsFunc([]string{
		"liability.customer_deposit", "liability.loan_proceeds", "asset.security_deposit", "asset.loan_given",
		"nondeductible.fines", "expense.depreciation",
	}, c.Is)
}

// widest is how many times as large as what an answer was about a row may be, to be what the answer is about.
const widest = 4

// Covers reports whether an answer for a key was about rows like this one: as large, on the same type of account, and
// in the rhythm of those that it was about. Another one is another matter: the rent of a landlord is not the purchase
// of the house. An answer about no rows was about all that come. What was contradicted, or happens once, is not known
// of the next row.
func (m Memory) Covers(k Key, l Line, accountType string) bool {
	d := m.categories[Topic{k.String(), k.Incoming(l)}]
	c, _ := ontology.ScheduleC().ByID(d.CategoryID)
	switch {
	case k == Deposits && l.Amount >= alone, oneOff(c) && k.about != held:
		return false
	case slices.ContainsFunc(d.uses, func(a Answered) bool { return a.Contradicted }):
		return false
	case m.LeftOpen(k, l):
		return false
	case d.severally():
		_, is := d.oneOf(k, l, accountType)
		return is
	case len(d.uses) == 1 && !d.uses[0].like(l, accountType):
		return false
	case l.Amount >= alone && len(d.uses) == 1 && value(d.uses[0].RowCount) == 1 && !d.uses[0].near(l):
		return false // one large receipt says little of the next
	default:
		return d.largest == 0 || max(l.Amount, -l.Amount) <= widest*d.largest
	}
}

// LeftOpen is whether what was answered for a key last said nothing of this row, though it was asked about it or of its
// like.
func (m Memory) LeftOpen(k Key, l Line) bool {
	return slices.Contains(l.LeftOpenBy, m.categories[Topic{k.String(), k.Incoming(l)}].AnswerID)
}

// Excluded is whether what was answered for a key last was not said of this row: it named it, and left it out, or said
// what was not understood. Then it is no guess of it either.
func (m Memory) Excluded(k Key, l Line) bool {
	return slices.Contains(l.ExcludedBy, m.categories[Topic{k.String(), k.Incoming(l)}].AnswerID)
}

// Known is what the business answered for a key, where it is known of this row: of an answer that said several things
// that one of them whose rows it is like. ok is false where it is only suggested.
func (m Memory) Known(k Key, l Line, accountType string) (said Said, ok bool) {
	d, ok := m.categories[Topic{k.String(), k.Incoming(l)}]
	if !ok || !m.Covers(k, l, accountType) {
		return Said{}, false
	}
	said = d.Said
	if d.severally() {
		use, _ := d.oneOf(k, l, accountType)
		said = Said{value(use.CategoryID), use.AnswerID}
	}
	return said, m.decides(said.CategoryID, l)
}

// oneOf is the one of the things that an answer said of a key whose rows a row is like: those came in the same amount,
// and more than once. Of checks, which show nothing else, only the very amount counts, whatever lies around it.
func (d decided) oneOf(k Key, l Line, accountType string) (use Answered, ok bool) {
	var is []Answered
	for _, a := range d.uses {
		exact := a.Smallest != nil && *a.Smallest == a.Largest && a.Largest == max(l.Amount, -l.Amount)
		if exact || k != Checks && a.near(l) {
			is = append(is, a)
		}
	}
	if len(is) != 1 || !is[0].steady() || value(is[0].RowCount) < 2 || !is[0].like(l, accountType) {
		return Answered{}, false
	}
	return is[0], true
}

// steady is whether all rows of a use were of one amount, or nearly.
func (a Answered) steady() bool {
	return a.Smallest != nil && *a.Smallest >= a.Largest-a.Largest/hardly
}

// near is whether a row is as large as those of a use, or nearly.
func (a Answered) near(l Line) bool {
	size := max(l.Amount, -l.Amount)
	return a.Smallest == nil || size >= *a.Smallest-*a.Smallest/hardly && size <= a.Largest+a.Largest/hardly
}

const (
	hardly  = 50 // of an amount: two rows differ by this part and are of one amount
	regular = 3  // rows that show a rhythm
)

// like is whether a row is on a type of account that the use was on; where that was steady, whether it is at least half
// as large and at most half as large again; and where it was regular, whether it comes in its rhythm: two within less
// than half of the shortest time are not both of it.
func (a Answered) like(l Line, accountType string) bool {
	if a.AccountTypes != "" && accountType != "" &&
		!slices.Contains(strings.Split(a.AccountTypes, ","), accountType) {
		return false
	}
	if !a.steady() || value(a.RowCount) < regular {
		return true
	}
	size := max(l.Amount, -l.Amount)
	if size < a.Largest/2 || size > a.Largest+a.Largest/2 {
		return false
	}
	least, most := value(a.LeastDays), value(a.MostDays)
	if least < weekly || most > least+least/2 || a.Newest == nil {
		return true
	}
	apart := int(l.PrimaryDate.Sub(*a.Newest).Hours() / 24)
	return max(apart, -apart) > least/2
}

// weekly is the shortest rhythm, in days.
const weekly = 6

// Settled is what was answered, without deciding it, to a question about the category of rows, or about the name on the
// line, a key of the same counterparty.
func (m Memory) Settled(q *Question, l Line, key string) (words Words, ok bool) {
	incoming := q.Key.Incoming(l)
	if q.Kind != KindCategory {
		return Words{}, false
	}
	if q.Narrow != nil {
		q = q.Narrow
	}
	words, ok = m.said[Topic{q.Key.String(), incoming}]
	if same, merged := m.same[key]; !ok && merged && q.Key == AboutCounterparty(same.Key) {
		words, ok = m.said[Topic{key, incoming}]
	}
	return words, ok && !slices.Contains(l.LeftOpenBy, words.AnswerID)
}
