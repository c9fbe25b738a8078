package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// IsReserved is whether words are reserved ones.
func IsReserved(words string) bool {
	_, ok := wording.ReservedWord(plain(words))
	return ok
}

// loanGiven is money that the business lends: a loan that they pay back, not I.
var (
	loanGiven   = ontology.MustPath("asset.loan_given")
	theyPayBack = regexp.MustCompile(`(?i)\b(?:loan|advance)\b[^.;]*\b(?:he|she|they|who)(?:['’](?:s|re|ll)|` +
		`\s+(?:is|are|will))?` +
		`\s+(?:pay|give)(?:s|ing)?\s+(?:it|me|us|that)\s+(?:all\s+)?back\b`)
)

// partOfEach is what says that a part of a payment is something.
var partOfEach = regexp.MustCompile(`(?i)\b(?:a\s+)?part\s+of\s+(?:it|each|them|every\s+one)\s+(?:is|was|are|` +
	`were|goes)\b|` +
	`\b\d[\d,.]*\s+of\s+(?:each|every)\b|(?:\band|,)\s+\$?\d[\d,.]*\s+(?:\pL+\s+){1,4}each[\s.!]*$`)

// nobodyKnowsIt is that the owner does not know what it was, and no more.
var nobodyKnowsIt = regexp.MustCompile(`(?i)^\s*(?:sorry,?\s+)?(?:(?:i|we)\s+)?(?:(?:really|honestly|` +
	`just)\s+)*(?:(?:do\s+not|` +
	`don['’]?t|can\s?not|can['’]?t|couldn['’]?t)\s+(?:(?:really|honestly|even)\s+)*(?:know|remember|recall|recognize|tell)` +
	`|(?:have\s+)?no\s+(?:idea|clue|memory(?:\s+of)?)|lost\s+the\s+(?:stubs?|receipts?|check\s+stubs?))` +
	`(?:\s+(?:what|which|who|whom|it|this|that|these|those|them|one|ones|was|were|is|are|for|about|anymore|any\s+more|` +
	`at\s+all|the|of|either|payment|check|charge)\b)*[\s.!]*$`)

// nothingSaid is what an answer means that says nothing of the money: a reserved word, or a question back.
func (q Asked) nothingSaid(words string) (Meaning, bool) {
	words = plain(words)
	if r, ok := wording.ReservedWord(words); ok {
		return Meaning{Reserved: r}, true
	}
	if nobodyKnowsIt.MatchString(words) {
		return Meaning{Reserved: wording.Skip}, true
	}
	if strings.Contains(words, "?") { // who asks back has not answered
		return q.unclear(q.Read(words).Candidates), true
	}
	return Meaning{}, false
}

// saidOfAll is what an answer means that is about all rows alike.
func (q Asked) saidOfAll(written string, option *string) Meaning {
	if option == nil && q.tellsThatItCameBack(written) {
		return q.choose(written, q.Options[0])
	}
	m := q.said(written, option)
	if m.Unclear && option == nil {
		if back, ok := q.ofWhatCameBack(written); ok {
			return back
		}
	}
	return m
}

// said is what an answer means of money in the direction of its question.
func (q Asked) said(written string, option *string) Meaning {
	words := plain(written)
	if option == nil {
		words = ofAState.ReplaceAllString(words, "state $1")
	}
	if o, ok := q.chosen(words, option); ok {
		if o.Value == questions.AsRead {
			return q.AsRead()
		}
		if o.Value == questions.Split {
			if m, ok := q.readSplit(words); ok && m.Split != nil {
				return m
			}
		}
		return q.choose(written, o)
	}
	if option == nil {
		switch m, ok := q.divided(words); {
		case ok && m.Unclear:
			return q.unclear(nil)
		case ok:
			return m
		}
		_, payout := q.paidOut()
		if payout && wording.ShareOrAmount.MatchString(words) || q.partlyOurs(words) || q.tellsParts(words) ||
			q.tellsInterest(words) || tellsYear(words) || q.Direction() == wording.In && tellsKept.MatchString(words) {
			return q.unclear(nil) // how much it is is not lost
		}
	}
	if option == nil && !q.Company && partOfEach.MatchString(words) { // how much, or of what the rest is, is not lost
		return q.unclear(nil)
	}
	if paths := pathsIn(words); option == nil && len(paths) > 1 {
		return q.unclear(paths)
	}
	if option == nil && (saysNotWhat(words) || iReimbursed.MatchString(words)) {
		return q.unclear(nil)
	}
	if option == nil && !q.ofLoan() && q.tellsReimbursed(words) {
		return Meaning{CategoryID: reimbursable.ID}
	}
	if option != nil { // of a standing hook, or a reading of words before
		if category, ok := ontology.ScheduleC().ByPath(*option); ok && category.Assignable {
			return Meaning{CategoryID: category.ID}
		}
		return q.unclear(nil)
	}
	if o, ok := q.yesOrNo(words); ok {
		return q.choose(words, o)
	}
	if o, ok := q.taxKept(words); ok {
		return q.choose(words, o)
	}
	if c := q.eatenHere(words); c != nil {
		return Meaning{CategoryID: c.ID}
	}
	if ownIncomeTax.MatchString(words) && q.Direction() == wording.Out {
		return Meaning{CategoryID: federalIncomeTax.ID} // or whoever's it is that takes it
	}
	if o, ok := q.tradeOf(words); ok {
		return q.choose(written, o)
	}
	if q.Company { // the words for rows do not answer what is asked of the business
		return q.unclear(nil)
	}
	if category, ok := pathOf(words); ok {
		return Meaning{CategoryID: category.ID}
	}
	switch {
	case writtenAsPath(words):
		return q.unclear(nearest(words, questions.MostOptions))
	case reservedPart(words): // to take an answer back, or to put it off, is no part of one
		return q.unclear(nil)
	case wording.Refuses(words), wording.HalfSaid(words), // what it is not, how much of it
		wording.NamesFirm(words), wording.IsAddress(words): // with whom
		return q.unclear(nil)
	}
	if c := q.ofGoodsSold(words); c != nil {
		return Meaning{CategoryID: c.ID}
	}
	if d := q.Direction(); d == wording.Out && q.toldPrivate(words) {
		c, _ := wording.CategoryNamed("personal", d)
		if more, named := wording.CategoryNamed(words, d); named && more.Is("personal") { // a donation, personal
			c = more
		}
		return Meaning{CategoryID: q.asAsked(c, words).ID}
	}
	if q.Direction() == wording.Out && theyPayBack.MatchString(words) {
		return Meaning{CategoryID: loanGiven.ID}
	}
	if q.keptNothing(words) {
		return q.choose(written, q.Options[0])
	}
	if o, ok := q.ownMoney(words); ok {
		return q.choose(written, o)
	}
	d := q.Direction()
	relationship, _ := wording.RelationshipNamed(words)
	category, named := wording.CategoryNamed(words, d)
	if !named && relationship != "" {
		category, named = wording.CategoryOf(relationship, d)
	}
	if !named {
		category, named = q.calledAside(words)
	}
	if c, cost := q.paidByClaim(words); cost {
		return Meaning{CategoryID: c.ID}
	}
	read := q.Read(wording.BesideFirm(words))
	if c := read.Category; c != nil && !q.offers(c) && !q.offersWhatItReads() &&
		(wording.IsAmbiguous(words) || q.paidBackUnsaid(c, words)) {
		read.Category = nil
	}
	if wording.IsAmbiguous(words) { // what they mean by themselves, whatever the question makes likely
		read.Candidates = wording.Context{Incoming: q.Incoming}.Read(words).Candidates
	}
	against := named && d == wording.In && category.Kind.Side() == ontology.SideOut // the name of a cost, of money in
	switch {
	case !named, category.Is(ontology.Uncategorized), against && read.Category != nil && !wording.IsName(words):
	case against && !q.offers(category) && !q.namesWhatCameBack(words): // what was sold may be called so
		return q.unclear(append([]*ontology.Category{category}, read.Candidates...))
	default:
		return Meaning{CategoryID: category.ID, Relationship: relationship}
	}
	list, head := q.listed(words), q.headNamed(words)
	one := read.Category != nil && !slices.ContainsFunc(list, func(c *ontology.Category) bool {
		return !c.Is(read.Category.Path)
	})
	switch {
	case one && read.Category == questions.SalesTaxCollected && inReceipts.MatchString(words): // paid out of them
		return q.unclear([]*ontology.Category{questions.SalesTaxIncluded, read.Category})
	case one:
		return Meaning{CategoryID: q.asAsked(read.Category, words).ID, Learned: true}
	case read.Split && !wording.Mixed(words) && (q.apart() || !aSide.MatchString(words) || cents.MatchString(words)):
		return q.unclear(list) // which is which, and how much, is not lost
	case read.Split, wording.Mixed(words) && d == wording.Out:
		return q.mix(written)
	case head != nil:
		return Meaning{CategoryID: head.ID}
	case list != nil: // several things, and no shares of them
		return q.unclear(list)
	default:
		return q.unclear(read.Candidates)
	}
}

// paidByClaim is the cost that words name which an insurer paid: it lowers that.
func (q Asked) paidByClaim(words string) (*ontology.Category, bool) {
	if q.Direction() != wording.In || len(q.Options) == 0 || q.Options[0].Value != "revenue.other.insurance_proceeds" {
		return nil, false
	}
	c, named := wording.CategoryNamed(words, wording.Out)
	return c, named && c.Kind.Cost()
}

// calledAside is the category that is offered and that the last words name, behind a comma, where the others only
// describe it: calibration frame for the cameras, equipment.
func (q Asked) calledAside(words string) (*ontology.Category, bool) {
	first, last, two := strings.Cut(words, ",")
	if !two || strings.ContainsAny(words, "0123456789%$") || wording.Denies(words) {
		return nil, false
	}
	c, named := wording.CategoryNamed(last, q.Direction())
	_, also := wording.CategoryNamed(first, q.Direction())
	if !named || also || !q.offers(c) || !c.Kind.OnForm() {
		return nil, false
	}
	describes := q.Read(first).Category
	return c, describes == nil || describes.Kind.OnForm()
}

// seemsBought is what the line of money that comes in reads like, where that is a cost: it seems to come back.
func (q Asked) seemsBought() (c *ontology.Category, ok bool) {
	if q.Direction() != wording.In || len(q.Options) == 0 {
		return nil, false
	}
	c, ok = ontology.ScheduleC().ByPath(q.Options[0].Value)
	return c, ok && c.Kind.Cost()
}

// tellsThatItCameBack is whether an owner says no more of money that comes back from a shop: then it is what the line
// reads.
func (q Asked) tellsThatItCameBack(words string) bool {
	_, bought := q.seemsBought()
	_, back, silent := boughtBack(wording.Fold(plain(words)))
	_, named := wording.CategoryNamed(words, wording.In) // a deposit that came back
	return bought && back && silent && !named
}

// ofWhatCameBack reads what an owner says of money that comes back from a shop: what was bought there, as of money that
// goes out. ok is false where it seems to be no such money, or nothing stands clear.
func (q Asked) ofWhatCameBack(words string) (m Meaning, ok bool) {
	first, ok := q.seemsBought()
	bought, back, _ := boughtBack(wording.Fold(plain(words)))
	switch {
	case !ok || !sayable.MatchString(bought):
		return Meaning{}, false
	case strings.HasSuffix(first.Path, "."+bought): // packaging, of cogs.other.packaging
		return q.choose(words, q.Options[0]), true
	}
	paid, out := q, false
	paid.Incoming = &out
	m = paid.said(bought, nil)
	c, known := ontology.ScheduleC().ByID(m.CategoryID)
	switch {
	case !known || !c.Kind.Cost():
		return Meaning{}, false
	case !back && !wording.Related(c, first) && !q.offers(c): // what was sold may be called so
		return q.unclear([]*ontology.Category{c}), true
	default:
		return m, true
	}
}

// namesWhatCameBack reports whether words are the name of a category, of money that seems to come back from a shop.
func (q Asked) namesWhatCameBack(words string) bool {
	_, bought := q.seemsBought()
	return bought && wording.IsName(words)
}

// offers reports whether a category is one of the options.
func (q Asked) offers(c *ontology.Category) bool {
	return slices.ContainsFunc(q.Options, func(o questions.Option) bool { return o.Value == c.Path })
}

// paidBackUnsaid reports whether a category would take money that comes in for a cost that was paid back, and neither
// the question nor the words say that any was: lumber for the deck job may be what a customer pays for.
func (q Asked) paidBackUnsaid(c *ontology.Category, words string) bool {
	_, bought := q.seemsBought()
	return q.Direction() == wording.In && c.Kind.Cost() && !bought &&
		!paidBack.MatchString(wording.Fold(q.Question+" "+words))
}

// offersWhatItReads reports whether one of the options is what the line reads, whichever that is: then the shop tells
// which of two things words mean.
func (q Asked) offersWhatItReads() bool {
	return slices.ContainsFunc(q.Options, func(o questions.Option) bool { return o.Value == questions.AsRead })
}

// reservedPart is whether one of several parts of words is a reserved word.
func reservedPart(words string) bool {
	parts := strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(",;:\n", r) })
	return len(parts) > 1 && slices.ContainsFunc(parts, IsReserved)
}

// mix is that no one category fits: the option for it, where there is one.
func (q Asked) mix(words string) Meaning {
	if i := slices.IndexFunc(q.Options, func(o questions.Option) bool { return o.Value == questions.Split }); i >= 0 {
		return q.choose(words, q.Options[i])
	}
	return Meaning{Mixed: true, Note: oneLine("A mix: " + words)}
}

// unclear offers what the words may mean, and then what the question offers.
func (q Asked) unclear(candidates []*ontology.Category) Meaning {
	m := Meaning{Unclear: true}
	add := func(o questions.Option) {
		if len(m.Readings) < questions.MostOptions &&
			!slices.ContainsFunc(m.Readings, func(r questions.Option) bool { return r.Value == o.Value }) {
			m.Readings = append(m.Readings, o)
		}
	}
	for _, c := range candidates {
		add(questions.OptionOf(c))
	}
	for _, o := range q.Options {
		add(o)
	}
	if !q.Company {
		for _, path := range questions.Usual(q.Direction() == wording.In) {
			add(questions.OptionOf(ontology.MustPath(path)))
		}
	}
	return m
}

func oneLine(words string) string { return strings.Join(strings.Fields(words), " ") }

// asItReads says of rows that each is what its line reads.
var asItReads = regexp.MustCompile(`(?i)^\s*(?:\pL+,\s+)?(?:(?:it'?s|they'?re|each\s+is|all\s+are|each|` +
	`all)\s+)?(?:just\s+)?` +
	`(?:what|as|like)\s+(?:it|they|each|the\s+lines?)\s+(?:looks?(?:\s+like)?|reads?|says?|seems?(?:\s+to\s+be)?|` +
	`stands?)[\s.!]*$`)

// chosen finds the option of an answer: by its value, or by words that are its value or label or say what its role
// says.
func (q Asked) chosen(words string, option *string) (questions.Option, bool) {
	is := func(o questions.Option) bool {
		label, _, _ := strings.Cut(o.Label, ":") // what stands behind a colon explains it: None: each is the business's
		return wording.Same(o.Value, words) || wording.Same(o.Label, words) || wording.Same(label, words) ||
			o.Value == questions.Split && wording.Mixed(words) ||
			o.Value == questions.AsRead && asItReads.MatchString(words)
	}
	if option != nil {
		is = func(o questions.Option) bool { return o.Value == *option }
	} else if yes, ok := q.agrees(words); ok {
		role := questions.RoleNo
		if yes {
			role = questions.RoleYes
		}
		if i := slices.IndexFunc(q.Options, func(o questions.Option) bool { return o.Role == role }); i >= 0 {
			return q.Options[i], true
		}
	}
	i := slices.IndexFunc(q.Options, is)
	if i < 0 {
		return questions.Option{}, false
	}
	return q.Options[i], true
}

// agrees is whether an answer about the business is a yes or a no: alone, or in front of words that do not turn it.
func (q Asked) agrees(words string) (yes, ok bool) {
	if !q.Company {
		return false, false
	}
	if yes, ok = wording.Agrees(words); ok {
		return yes, ok
	}
	first, rest, _ := strings.Cut(wording.Fold(words), " ")
	yes, ok = wording.Agrees(first)
	denies := wording.Denies(rest)
	turned := yes && denies || !yes && strings.Contains(rest, "includ") && !denies
	return yes, ok && !wording.Doubts(rest) && !turned
}

// choose is what an option means: its category, or that there is no one category, which a category for payments that
// are not yet split says too where it is among the options.
func (q Asked) choose(words string, o questions.Option) Meaning {
	var m Meaning
	if o.Value != questions.Split {
		if category, ok := ontology.ScheduleC().ByPath(o.Value); ok {
			m.CategoryID = category.ID
		}
		m.AboutOthers = o.Role == questions.RoleOthers
		if m.CategoryID == 0 { // it says what the business is
			m.Note = o.Value
		}
		return m
	}
	m.Note = o.Label
	if remark := strings.TrimSpace(words); !wording.Same(remark, o.Label) && !wording.Same(remark, o.Value) {
		m.Note = oneLine(m.Note + ": " + remark)
	}
	for _, other := range q.Options {
		if category, ok := ontology.ScheduleC().ByPath(other.Value); ok && category.Unsplit() {
			m.CategoryID = category.ID
			return m
		}
	}
	m.Mixed = true
	return m
}

// AsRead is that each row of a question is what its line reads; those that read nothing stay open.
func (q Asked) AsRead() Meaning {
	m := Meaning{Partial: true, Exceptions: q.eachAsRead(q.rows())}
	if !slices.ContainsFunc(m.Exceptions, func(e Exception) bool { return e.CategoryID != 0 }) {
		return q.unclear(nil)
	}
	return m
}

// rows are those that an answer may name.
func (q Asked) rows() []uuid.UUID {
	rows := make([]uuid.UUID, len(q.Lines))
	for i, l := range q.Lines {
		rows[i] = l.Transaction
	}
	return rows
}

// eachAsRead are rows of a question by what their lines read; of those that read nothing it says nothing.
func (q Asked) eachAsRead(rows []uuid.UUID) (each []Exception) {
	among := map[uuid.UUID]bool{}
	for _, row := range rows {
		among[row] = true
	}
	ours := slices.ContainsFunc(q.Options, func(o questions.Option) bool {
		return o.Value == questions.AsRead && o.Label == questions.NoneAtHome
	})
	for _, l := range q.Lines {
		if !among[l.Transaction] {
			continue
		}
		says := 0
		if c, ok := ontology.ScheduleC().ByID(l.Reads); ok && !c.Is(ontology.Uncategorized) && c.Assignable &&
			(!ours || c.Kind.OnForm()) {
			says = c.ID
		}
		at := slices.IndexFunc(each, func(e Exception) bool { return e.CategoryID == says })
		if at < 0 {
			at = len(each)
			each = append(each, Exception{CategoryID: says})
		}
		each[at].Transactions = append(each[at].Transactions, l.Transaction)
	}
	return each
}
