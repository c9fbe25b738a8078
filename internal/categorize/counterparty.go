package categorize

import "bytes"

// ruleName fills in who a rule's line is with.
func (c *subject) ruleName(r *rule, d *Decision) {
	switch r.who {
	case whoFixed:
		d.Counterparty = r.counterparty
	case whoInstitution:
		if c.institution != nil {
			d.Counterparty = c.institution.Counterparty
			if c.merchant != nil && c.merchant.Key == d.Counterparty.Key {
				d.Counterparty.Website = c.merchant.Website
			}
			break
		}
		c.name(d)
	case whoName:
		c.name(d)
	}
	if d.Counterparty.Relationship == "client" && !isRevenue(r.category) {
		d.Counterparty.Relationship = "unknown"
	}
	d.Merchant = d.Counterparty.Name
	if d.Counterparty.Type == "person" {
		d.Merchant = ""
	}
}

// name fills in the counterparty by the dictionary, or by the name on the line.
func (c *subject) name(d *Decision) {
	if c.merchant != nil && !c.within {
		d.Counterparty, d.Merchant = c.merchant.Counterparty, c.merchant.Name
		return
	}
	if c.institution != nil {
		d.Counterparty, d.Merchant = c.institution.Counterparty, c.institution.Name
		return
	}
	if c.onlyNumbers() {
		return
	}
	n := c.parsed.name
	for n.to-1 > n.from && c.flags(c.tokens[n.to-1].id)&(flagTLD|flagLegal) == flagTLD {
		n.to--
	}
	if !c.person {
		n = c.withoutOccasion(n)
	}
	if c.onlyBanking(n) {
		return
	}
	p := &d.Counterparty
	p.Name = c.display(n)
	p.Key = foldName(p.Name)
	p.Relationship, p.Confidence = "unknown", nameAsCut
	switch {
	case c.person:
		p.Type, p.Confidence = "person", likelyPerson
		if c.given {
			p.Confidence = sureOfPerson
		}
		return
	case c.keyword != nil:
		p.Type, p.Relationship = c.keyword.kind, c.keyword.relationship
	case c.legal:
		p.Type = "company"
	case c.channel == card:
		p.Type, p.Relationship = "company", "supplier"
	}
	if c.dir == in && c.channel != card && p.Type != "" && p.Type != "government" {
		p.Relationship = "client"
	}
	d.Merchant = p.Name
}

// withoutOccasion cuts what a payment is for, and when, off the end of a name: the rent of January and that of February
// go to the same landlord.
func (c *subject) withoutOccasion(n span) span {
	for n.to-1 > n.from && c.flags(c.tokens[n.to-1].id)&flagOccasion != 0 {
		n.to--
	}
	return n
}

// onlyBanking reports whether a name has no word but a bank's for what it moves: TRANSFER OUT is nobody.
func (c *subject) onlyBanking(n span) bool {
	for _, t := range c.tokens[n.from:n.to] {
		if t.kind == word && c.flags(t.id)&flagBanking == 0 || c.spells(t) {
			return false
		}
	}
	return true
}

// display writes the tokens of a span as a name: "Tin Roof Tacos", "Grove Plaza LP".
func (c *subject) display(s span) string {
	var buf [128]byte
	b := buf[:0]
	for i := s.from; i < s.to; i++ {
		t := c.tokens[i]
		if i > s.from {
			switch {
			case !t.spaced && (t.before == '.' || t.before == '-' || t.before == '&'):
				b = append(b, t.before)
			case t.before == '&':
				b = append(b, " & "...)
			default:
				b = append(b, ' ')
			}
		}
		text := c.text[t.start:t.end]
		if len(b)+len(text) > len(buf) {
			break
		}
		upper := t.kind == mixed || len(text) <= 3 && c.flags(t.id)&flagLegal != 0 ||
			!bytes.ContainsAny(text, "AEIOUY") && (len(text) <= 3 || c.flags(t.id)&flagLegal != 0)
		for j, ch := range text {
			if j > 0 && !upper && ch >= 'A' && ch <= 'Z' {
				ch += 'a' - 'A'
			}
			b = append(b, ch)
		}
	}
	return string(b)
}
