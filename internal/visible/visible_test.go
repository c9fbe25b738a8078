package visible_test

import (
	"testing"

	"bizfin/internal/visible"
)

func TestWhatShowsNothingIsBlank(t *testing.T) {
	t.Parallel()
	for _, blank := range []string{"", " ", "\t\r\n", "\u00a0", "\u2003", "\u3000", "\ufeff", "\u200b",
		"\u200b\u200c\u200d", "\u2060", "\u00ad", "\u202e", "\u2800", "\u3164", "\u115f", "\uffa0",
		"\u034f", "\ufe0f", "\U000e0041", "\u0000", "\u001b", " \u200b "} {
		if !visible.Blank(blank) || visible.Trim(blank) != "" {
			t.Errorf("%+q is taken for something", blank)
		}
	}
	for text, want := range map[string]string{
		" a ": "a", "\ufeffBakery\u3000": "Bakery", "\u200bBakery\u200b": "\u200bBakery\u200b",
		"👩\u200d🍳": "👩\u200d🍳", "☕\ufe0f": "☕\ufe0f",
		"é": "é", "e\u0301": "e\u0301", ".": ".", "مخبز": "مخبز",
	} {
		if visible.Blank(text) || visible.Trim(text) != want {
			t.Errorf("%+q becomes %+q", text, visible.Trim(text))
		}
	}
}
