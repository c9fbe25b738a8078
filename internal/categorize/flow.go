package categorize

// maxTerms bounds the terms of all rules; terms are kept as a set of bits.
const maxTerms = 512

type termSet [maxTerms / 64]uint64

func (s *termSet) add(terms []int32) {
	for _, t := range terms {
		s[t>>6] |= 1 << (t & 63)
	}
}

func (s *termSet) has(t int32) bool { return s[t>>6]&(1<<(t&63)) != 0 }

// match returns the first rule that fits.
func match(rules []rule, set *termSet, dir direction) *rule {
next:
	for i := range rules {
		r := &rules[i]
		if !set.has(r.first) || r.dir != unknown && r.dir != dir || r.unless >= 0 && set.has(r.unless) {
			continue
		}
		for _, t := range r.need[1:] {
			if !set.has(t) {
				continue next
			}
		}
		return r
	}
	return nil
}
