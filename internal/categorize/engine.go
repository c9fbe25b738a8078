package categorize

import "bizfin/internal/categorize/merchants"

// Version names the state of rules, words and calibration. It is raised with
// every change that can change a decision; merchants.Version and the ontology's
// version stand beside it.
const Version = "2026.49"

// Engine decides lines. It never changes after New and is safe for concurrent use.
type Engine struct{ data *data }

// New returns an engine with the embedded data, which are parsed once per process.
func New() *Engine { return &Engine{load()} }

// Decide understands one line. The same line, memory and Version give the same
// decision. It never fails: a line that says nothing has category 0 and Ask set.
func (e *Engine) Decide(l Line, m Memory) Decision {
	var c subject
	c.understand(e.data, l)

	d := Decision{Channel: c.channel.String()}
	decided := c.byRule(e.data.flows, &d)
	if decided && d.Silent() { // the line itself says what kind of payment it is
		c.relate(m, &d)
		return d
	}
	if !decided {
		c.name(&d)
	}
	if c.byMemory(m, &d) {
		return d
	}
	if decided {
		return d
	}
	if c.byCalling(&d) || c.byMerchant(&d) || c.byKeyword(&d) || c.byRule(e.data.fallbacks, &d) {
		c.byMemory(m, &d)
		return d
	}
	d.Ask = true
	d.Reason = c.reason("", "no rule, earlier answer, known merchant or business word explains it")
	return d
}

// understand reads the line and collects what it shows.
func (c *subject) understand(d *data, l Line) {
	c.data, c.amount, c.dir = d, l.Amount, out
	if l.Amount > 0 {
		c.dir = in
	}
	c.parse(&c.parsed, l.Description, l.Business, c.dir)
	if c.channel == noChannel && d.apps[l.Service] { // in its own account an app leaves its name out
		c.parsed = parsed{}
		c.parse(&c.parsed, l.Service+" "+l.Description, l.Business, c.dir)
	}
	if c.channel == noChannel && l.AccountType == "credit" {
		c.channel = card
	}
	c.identify()
	c.gather(l)
}

// memoryTier is the tier of an answer by how often it was given.
func memoryTier(r recollection) string {
	switch {
	case r.band:
		return "memory.band"
	case r.count >= 4:
		return "memory.many"
	case r.count >= 2:
		return "memory.2"
	}
	return "memory.1"
}

// byMemory applies what the business answered about this counterparty.
func (c *subject) byMemory(m Memory, d *Decision) bool {
	if len(m.answers) == 0 || d.Counterparty.Key == "" {
		return false
	}
	r := m.recall(d.Counterparty.Key, c.dir, c.amount)
	if r.relationship != "" {
		d.Counterparty.Relationship = r.relationship
	}
	if r.conflict {
		d.Ask, d.Alternatives = true, r.alternatives
		d.Confidence = min(d.Confidence, c.tiers["guess"].confidence)
		return false
	}
	if r.category == 0 {
		return false
	}
	d.CategoryID, d.Source, d.Class, d.AnswerID = r.category, SourceMemory, memoryTier(r), r.answer
	d.Confidence = c.tiers[d.Class].confidence
	d.Alternatives, d.Ask, d.Refund, d.Transfer = r.alternatives, false, false, isTransfer(r.category)
	d.Reason = c.memoryReason(d.Counterparty.Name, r)
	return true
}

// relate applies what the business answered about the relationship alone.
func (c *subject) relate(m Memory, d *Decision) {
	if len(m.answers) == 0 || d.Counterparty.Key == "" {
		return
	}
	if r := m.recall(d.Counterparty.Key, c.dir, c.amount); r.relationship != "" {
		d.Counterparty.Relationship = r.relationship
	}
}

// byCalling takes a shop for private life, or a charity's, for a supplier where its name says what the business does,
// too: a salon pays a beauty store for its customers. Whom it sends money by an app works for it.
func (c *subject) byCalling(d *Decision) bool {
	private := c.keyword != nil && c.keyword.category == living
	if c.merchant != nil {
		private = c.merchant.use == merchants.Personal || c.merchant.out == charity
	}
	if !c.calling || !private || c.dir != out {
		return false
	}
	category := supplies
	if c.channel == p2p {
		category = contractLabor
	}
	t := c.tiers["word.guess"]
	d.CategoryID, d.Source, d.Confidence, d.Class = category, SourceRule, t.confidence, t.name
	d.Alternatives, d.Ask = c.data.ofCalling, true
	d.Reason = c.reason("", "its name has a word for what this business does, too")
	return true
}

// byMerchant applies the dictionary's category for the direction of the money.
func (c *subject) byMerchant(d *Decision) bool {
	m := c.merchant
	if m == nil {
		return false
	}
	t := m.outTier
	switch {
	case c.dir == in && m.in != 0 && c.channel != card && !c.set.has(c.refundTerm):
		t = c.tiers["merchant.in"]
		if m.use != merchants.Business && c.channel != ach {
			t = c.tiers["refund.review"] // it pays customers back too
		}
		d.CategoryID, d.Reason = m.in, c.reason(m.Name, "the dictionary knows what it pays out")
	case m.out == 0:
		return false
	case c.dir == in && c.channel != card && c.set.has(c.payoutTerm):
		t = c.tiers["refund.review"]
		d.CategoryID, d.Reason = payouts, c.reason(m.Name, "it pays out what customers paid through it")
	case c.dir == in && c.channel == ach && !c.set.has(c.refundTerm) &&
		(m.use == merchants.Personal || offForm(m.out)):
		t = c.tiers["unclear"] // private purchases come back by card: it may pay what customers paid there
		d.CategoryID, d.Reason = UnknownIn, c.reason(m.Name, "it pays in what is no refund of a card")
	case c.dir == in:
		d.Refund = true
		if t.confidence >= SilentThreshold && (c.channel == card || c.set.has(c.refundTerm)) {
			t = c.tiers["refund"]
		} else {
			t = c.tiers["refund.review"]
		}
		d.CategoryID, d.Reason = m.out, c.reason(m.Name,
			"money back from a merchant that is normally paid, counted against what was bought")
	default:
		d.CategoryID, d.Reason = m.out, c.reason(m.Name, "the dictionary knows what it sells")
		if c.channel == ach && isRevenue(m.in) && t.confidence >= SilentThreshold {
			t = c.tiers["merchant.mixed"] // it may take back what it paid out
		}
	}
	if c.dir == in && d.CategoryID == UnknownIn && t.confidence > c.tiers["unclear"].confidence {
		t = c.tiers["unclear"] // the dictionary knows that the name does not tell
	}
	if c.within && t.confidence > c.tiers["merchant.within"].confidence {
		t = c.tiers["merchant.within"]
	}
	d.Source, d.Confidence, d.Class = SourceMerchant, t.confidence, t.name
	d.Ask = t.confidence < SilentThreshold
	d.Transfer = isTransfer(d.CategoryID)
	switch {
	case !d.Ask:
	case m.use == merchants.Personal, offForm(d.CategoryID): // a charity's shop, too
		d.Alternatives = c.business
	default:
		d.Alternatives = c.private
	}
	return true
}

// byKeyword applies a word of the name that says what kind of business it is.
// An unknown firm that pays in is a customer rather than a refund, save by card.
func (c *subject) byKeyword(d *Decision) bool {
	k := c.keyword
	if k == nil || c.dir == in && c.channel != card && !c.set.has(c.refundTerm) {
		return false
	}
	t := k.tier
	if c.channel == p2p {
		t = c.tiers["word.guess"]
	}
	if c.contested && t.confidence > c.tiers["word.likely"].confidence {
		t = c.tiers["word.likely"]
	}
	d.CategoryID, d.Source, d.Confidence, d.Alternatives = k.category, SourceRule, t.confidence, k.alternatives
	d.Class = t.name
	if c.dir == in {
		d.Refund, d.Confidence = true, min(t.confidence, c.tiers["refund.review"].confidence)
	}
	d.Ask = d.Confidence < SilentThreshold
	d.Reason = c.keywordReason(k)
	return true
}

// byRule applies the first rule that fits.
func (c *subject) byRule(rules []rule, d *Decision) bool {
	r := match(rules, &c.set, c.dir)
	if r == nil || r.category == 0 {
		return false
	}
	d.CategoryID, d.Source, d.Confidence, d.Alternatives = r.category, SourceRule, r.tier.confidence, r.alternatives
	d.Class = r.name
	d.Ask = r.ask || r.tier.confidence < SilentThreshold
	d.Transfer = isTransfer(r.category)
	d.Refund = c.dir == in && r.dir == unknown && isExpense(r.category)
	c.ruleName(r, d)
	d.Reason = c.ruleReason(r, d.Counterparty.Name)
	return true
}
