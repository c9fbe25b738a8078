package categorize

import "strconv"

// Reasons are put together from what the line shows: the channel, the words that
// decided, the other side and the direction.

// reason begins with the channel: "card payment through Square to Chevron: ...".
func (c *subject) reason(name, why string) string {
	var buf [256]byte
	b := c.open(buf[:0], name)
	b = append(b, ": "...)
	return string(append(b, why...))
}

func (c *subject) open(b []byte, name string) []byte {
	b = append(b, channelWords[c.channel]...)
	if service := c.through(); service != "" && service != name {
		b = append(b, " through "...)
		b = append(b, service...)
	}
	if name != "" {
		if c.dir == in {
			b = append(b, " from "...)
		} else {
			b = append(b, " to "...)
		}
		b = append(b, name...)
	}
	if c.dir == in {
		return append(b, ", incoming"...)
	}
	return append(b, ", outgoing"...)
}

// through is the payment processor or service that stands on the line beside the other side; "" where none does.
func (c *subject) through() string {
	if c.processor != nil {
		return c.processor.name
	}
	if c.app != nil {
		return c.app.name
	}
	return ""
}

// ruleReason names the words on the line that made the rule fit.
func (c *subject) ruleReason(r *rule, name string) string {
	var buf [256]byte
	b := buf[:0]
	if !c.descriptor.empty() {
		b = append(b, "ACH descriptor "...)
		b = c.words(b, c.descriptor)
		b = append(b, ", "...)
	} else if s, ok := c.evidence(r); ok {
		b = append(b, '"')
		b = c.words(b, s)
		b = append(b, `", `...)
	}
	b = c.open(b, name)
	b = append(b, ": "...)
	return string(append(b, r.reason...))
}

// evidence is the longest phrase on the line that a term of the rule asks for.
func (c *subject) evidence(r *rule) (span, bool) {
	var best span
	for _, h := range c.found() {
		if int(h.to-h.from) <= best.to-best.from || c.tokens[h.from].own {
			continue
		}
		for _, t := range c.termsAt[h.phrase] {
			for _, n := range r.need {
				if n == t {
					best = span{int(h.from), int(h.to)}
				}
			}
		}
	}
	return best, !best.empty()
}

func (c *subject) keywordReason(k *keyword) string {
	var buf [256]byte
	b := c.open(buf[:0], "")
	b = append(b, `: "`...)
	b = append(b, k.text...)
	b = append(b, `" in the name says what kind of business it is`...)
	return string(b)
}

func (c *subject) memoryReason(name string, r recollection) string {
	var buf [256]byte
	b := c.open(buf[:0], name)
	b = append(b, ": this business answered so "...)
	if r.count == 1 {
		b = append(b, "once"...)
	} else {
		b = strconv.AppendInt(b, int64(r.count), 10)
		b = append(b, " times"...)
	}
	if r.band {
		b = append(b, " for similar amounts"...)
	}
	return string(b)
}

func (c *subject) words(b []byte, s span) []byte {
	for i := s.from; i < s.to && len(b) < 120; i++ {
		if i > s.from {
			b = append(b, ' ')
		}
		b = append(b, c.bytes(i, i+1)...)
	}
	return b
}
