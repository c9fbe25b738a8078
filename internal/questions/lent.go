package questions

import (
	"maps"
	"strings"
	"time"
)

// loanProceeds is money that was lent.
var loanProceeds = mustPath("liability.loan_proceeds")

// Lends learns of open questions, by their keys, that seem to be about money that was lent.
func (m *Memory) Lends(keys ...string) {
	for _, key := range keys {
		if brand := BrandOf(ofCounterparty(key)); brand != "" {
			m.lent[brand] = time.Time{}
		}
	}
}

// With is the memory with others that lent, by [BrandOf], from a day on.
func (m Memory) With(lent map[string]time.Time) Memory {
	all := maps.Clone(lent)
	maps.Copy(all, m.lent)
	m.lent = all
	return m
}

// Lent reports whether a counterparty, or another part of its firm, lent to the business by a day, or seems to have. Of
// what was answered or asked before the day is not known: it did.
func (m Memory) Lent(counterpartyKey string, day time.Time) bool {
	first, ok := m.lent[BrandOf(counterpartyKey)]
	return ok && !day.Before(first)
}

// BrandOf is the word that the parts of a firm share: Square lends as Square Financial.
func BrandOf(counterpartyKey string) string {
	brand, _, _ := strings.Cut(counterpartyKey, " ")
	return brand
}

// ofCounterparty is the counterparty's own part of a question's key.
func ofCounterparty(key string) string {
	switch k := ParseKey(key); k.about {
	case counterparty:
		return k.of
	case use:
		_, of, _ := strings.Cut(k.of, Mark)
		return of
	default:
		return ""
	}
}
