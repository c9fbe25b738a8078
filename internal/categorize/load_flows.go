package categorize

import (
	"fmt"
	"strings"
)

func (d *data) readRule(rules *[]rule, row []string) error {
	fail := func(err error) error { return fmt.Errorf("rule %s: %w", row[0], err) }
	r := rule{name: row[0], unless: -1, ask: row[6] == "yes", reason: row[9]}
	switch row[1] {
	case "in":
		r.dir = in
	case "out":
		r.dir = out
	case "any":
	default:
		return fail(fmt.Errorf("unknown direction %q", row[1]))
	}
	for text := range strings.SplitSeq(row[2], "+") {
		t, err := d.term(text)
		if err != nil {
			return fail(err)
		}
		r.need = append(r.need, t)
	}
	r.first = r.need[0]
	var err error
	if row[3] != "" {
		if r.unless, err = d.term(row[3]); err != nil {
			return fail(err)
		}
	}
	if r.category, err = categoryID(row[4]); err != nil {
		return fail(err)
	}
	if r.category != 0 {
		if r.tier, err = d.tier(row[5]); err != nil {
			return fail(err)
		}
	}
	switch row[7] {
	case "none":
	case "institution":
		r.who = whoInstitution
	case "name":
		r.who = whoName
	default:
		part := strings.Split(row[7], ";")
		if len(part) != 3 {
			return fail(fmt.Errorf("unknown counterparty %q", row[7]))
		}
		r.who = whoFixed
		r.counterparty = Counterparty{Key: foldName(part[0]), Name: part[0], Type: part[1], Relationship: part[2],
			Confidence: sureOfName}
		if err := checkCounterparty(part[1], part[2]); err != nil {
			return fail(err)
		}
	}
	if r.alternatives, err = alternatives(r.tier.confidence, row[4], strings.Split(row[8], ";")...); err != nil {
		return fail(err)
	}
	*rules = append(*rules, r)
	return nil
}

// term returns the number of a choice of phrases and facts.
func (d *data) term(text string) (int32, error) {
	text = strings.TrimSpace(text)
	if t, ok := d.termByText[text]; ok {
		return t, nil
	}
	t := int32(d.terms)
	d.terms++
	if d.terms > maxTerms {
		return 0, fmt.Errorf("more than %d terms", maxTerms)
	}
	d.termByText[text] = t
	for choice := range strings.SplitSeq(text, "|") {
		if strings.HasPrefix(choice, "@") {
			d.factTerms[choice] = append(d.factTerms[choice], t)
			continue
		}
		for _, text := range phrasings(choice) {
			id, err := d.add(text)
			if err != nil {
				return 0, err
			}
			var terms []int32
			if int(id) < len(d.termsAt) {
				terms = d.termsAt[id]
			}
			put(&d.termsAt, id, append(terms, t))
		}
	}
	return t, nil
}

// refundWords show that a merchant gave money back.
const refundWords = "REFUND|RETURN|PURCHASE RETURN|MERCHANDISE RETURN|REVERSAL|REVERSED|CREDIT VOUCHER|" +
	"RETURN AUTHORIZED|REFUNDED|MERCH RETURN|POS RETURN"

// finishTerms connects the facts with their terms, and gives every table by phrase its full length.
func (d *data) finishTerms() error {
	var err error
	if d.refundTerm, err = d.term(refundWords); err != nil {
		return err
	}
	if d.payoutTerm, err = d.term("PAYOUT|PAYOUTS"); err != nil {
		return err
	}
	for i, name := range channelNames {
		d.facts.channels[i] = d.factTerms["@"+name]
	}
	f := &d.facts
	for name, to := range map[string]*[]int32{
		"@named": &f.named, "@unnamed": &f.unnamed, "@person": &f.person, "@firm": &f.firm,
		"@namesake": &f.namesake, "@ours": &f.ours, "@host": &f.host,
		"@merchant": &f.dictionary, "@credit": &f.credit, "@loan": &f.loan, "@tiny": &f.tiny, "@noted": &f.noted,
		"@balance": &f.balance, "@local": &f.local, "@financial": &f.financial, "@payroll_form": &f.payrollForm,
		"@income_form": &f.incomeForm,
	} {
		*to = d.factTerms[name]
	}
	last := int32(len(d.phrases) - 1)
	grow(&d.prefixes, last)
	grow(&d.anywhere, last)
	grow(&d.markers, last)
	grow(&d.processorAt, last)
	grow(&d.keywordAt, last)
	grow(&d.termsAt, last)
	return nil
}

func grow[T any](s *[]T, last int32) {
	if int(last) >= len(*s) {
		var zero T
		put(s, last, zero)
	}
}
