package categorize

import (
	"math/rand/v2"
	"testing"

	"bizfin/internal/categorize/merchants"
)

// TestMerchantsNeverSeen decides card payments to a fifth of the merchants written by hand, with a dictionary that
// lacks them: what words of a name and the guess for unknown firms are worth. Each name is one line, so giants do not
// count more.
func TestMerchantsNeverSeen(t *testing.T) {
	const seeds = 5
	var all, silent, silentRight, right, asked, askedRight, constant int
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 20261121))
		out := map[string]bool{} // entries of one name are one merchant
		var known, unseen []merchants.Merchant
		for _, m := range merchants.All() {
			if m.Curated {
				if _, ok := out[m.Name]; !ok {
					out[m.Name] = r.IntN(5) == 0
				}
			}
			switch {
			case !m.Curated || !out[m.Name]:
				known = append(known, m)
			case len(m.Aliases) > 0 && m.Out != "" && merchantTier(m) != "unclear":
				unseen = append(unseen, m)
			}
		}
		d, err := parseData(known)
		if err != nil {
			t.Fatal(err)
		}
		e := &Engine{d}
		var ofSeed, rightOfSeed, silentOfSeed, silentRightOfSeed int
		for _, m := range unseen {
			want, err := categoryID(m.Out)
			if err != nil {
				t.Fatal(err)
			}
			got := e.Decide(Line{Description: m.Aliases[0] + " 8005550100", Amount: -50_00}, Memory{})
			hit := got.CategoryID != 0 && lines[got.CategoryID] == lines[want]
			if got.Silent() && !hit && testing.Verbose() {
				t.Logf("MISS %s | %s | %s", m.Aliases[0], m.Out, got.Reason)
			}
			ofSeed++
			constant += one(lines[want] == "27b")
			rightOfSeed += one(hit)
			if got.Silent() {
				silentOfSeed++
				silentRightOfSeed += one(hit)
			} else {
				asked++
				askedRight += one(hit)
			}
		}
		t.Logf("seed %d: %d merchants, silent %d, of these on the right line %d, all on the right line %d", seed,
			ofSeed, silentOfSeed, silentRightOfSeed, rightOfSeed)
		all, right, silent, silentRight = all+ofSeed, right+rightOfSeed, silent+silentOfSeed,
			silentRight+silentRightOfSeed
	}
	t.Logf("all seeds: line of all %d of %d, silent %d, right %d, guessed right %d of %d, always 27b %d", right, all,
		silent, silentRight, askedRight, asked, constant)
	if silentRight*100 < silent*80 {
		t.Errorf("words of unseen names decided %d lines without asking, %d rightly", silent, silentRight)
	}
}

func one(when bool) int {
	if when {
		return 1
	}
	return 0
}
