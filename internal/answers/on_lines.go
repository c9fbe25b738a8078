package answers

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/wording"
)

// onLines are the rows whose lines have the words of a name, whole or as banks write them: Security Health Plan is
// SECURITY HLTH PL.
func (q Asked) onLines(name string) []uuid.UUID {
	const shortest = 5
	said := strings.Fields(wording.Fold(name))
	if len(strings.Join(said, "")) < shortest {
		return nil
	}
	rows := q.those(func(l AskedLine) bool {
		on := strings.Fields(wording.Fold(l.Description))
		for at := range on {
			if at+len(said) <= len(on) && slices.EqualFunc(on[at:at+len(said)], said, abbreviates) {
				return true
			}
		}
		return false
	})
	if len(rows) == len(q.Lines) {
		return nil
	}
	return rows
}

// abbreviates reports whether a word of a bank is another, cut or without some of its letters.
func abbreviates(written, said string) bool {
	const cut, short = 2, 3
	if written == said || len(written) >= cut && strings.HasPrefix(said, written) {
		return true
	}
	if len(written) < short || written[0] != said[0] {
		return false
	}
	at := 0
	for i := range len(said) {
		if at < len(written) && said[i] == written[at] {
			at++
		}
	}
	return at == len(written)
}
