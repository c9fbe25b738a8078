package questions

import (
	"strings"
	"testing"
)

// What is wrong with a split is what is said of it, and what is suggested would be taken.
func TestWhatIsWrongWithASplitIsSaid(t *testing.T) {
	for words, says := range map[string]string{
		"60% uncategorized.out, rest personal":    "which names no category",
		"60% expense.advertizing, rest personal":  "nearest: expense.advertising",
		"-60% car, rest personal":                 `takes off "car"`,
		"60% car, less 10% car, rest personal":    `takes off "car"`,
		"60% car":                                 "say what the rest is",
		"60% car, 40% meals, rest office rent":    "for which nothing is left",
		"60% car, less 10% nonsense, rest travel": "which names no category",
	} {
		m := Understand(Asked{Incoming: new(bool)}, words, nil)
		if m.Broken == nil || !strings.Contains(m.Broken.Error(), says) {
			t.Errorf("%q means %+v", words, m)
			continue
		}
		if _, near, _ := strings.Cut(m.Broken.Error(), "nearest: "); strings.Contains(near, "uncategorized") {
			t.Errorf("%q is to be %s", words, near)
		}
	}
}

// A bare list of names says several things, and not how much of each.
func TestAListOfSeveralThingsIsUnclear(t *testing.T) {
	for words, paths := range map[string][]string{
		"car, personal":           {"expense.car_truck", "personal.living"},
		"rent, supplies":          {"expense.rent.property", "expense.supplies"},
		"Rent / Supplies.":        {"expense.rent.property", "expense.supplies"},
		"rent, personal, meals":   {"expense.rent.property", "personal.living", "expense.meals"},
		"personal, car and truck": {"personal.living", "expense.car_truck"},
		"rent & advertising":      {"expense.rent.property", "expense.advertising"},
	} {
		m := Understand(Asked{Incoming: new(bool)}, words, nil)
		if !m.Unclear || len(m.Readings) < len(paths) {
			t.Errorf("%q means %+v", words, m)
			continue
		}
		for i, path := range paths {
			if m.Readings[i].Value != path {
				t.Errorf("%q may mean %s, want %s", words, m.Readings[i].Value, path)
			}
		}
	}
	for words, path := range map[string]string{
		"Equipment, electronics and furniture": "expense.depreciation.equipment_purchase",
		"car and truck expenses":               "expense.car_truck",
		"electricity, gas, water & waste":      "expense.utilities.power_water",
		"paper and ink":                        "expense.office.supplies",
	} {
		if m := Understand(Asked{Incoming: new(bool)}, words, nil); m.CategoryID != mustPath(path).ID {
			t.Errorf("%q means %+v, want %s", words, m, path)
		}
	}
}
