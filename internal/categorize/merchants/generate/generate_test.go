package main

import (
	"bytes"
	"os"
	"testing"

	"bizfin/internal/categorize/merchants"
)

// packageVariable names the environment variable with the path of the package
// that generated.tsv was made from.
const packageVariable = "NAME_SUGGESTION_INDEX"

func TestGeneratedFileIsWhatTheGeneratorMakes(t *testing.T) {
	path := os.Getenv(packageVariable)
	if path == "" {
		t.Skipf("%s does not name the package", packageVariable)
	}
	want, err := generate(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := generate(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, again) {
		t.Error("two runs differ")
	}
	got, err := os.ReadFile("../generated.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Error("generated.tsv is not what the generator makes: run go generate")
	}
}

func TestNamesThatIdentifyNobodyAreLeftOut(t *testing.T) {
	t.Parallel()
	n := newNames("# words\nanchor\n", []merchants.Merchant{
		{Name: "Shell", Aliases: []string{"SHELL OIL"}, Exact: []string{"SHELL"}},
	})
	for _, test := range []struct {
		name       string
		identifies bool
	}{
		{"Anchor", false}, {"The Anchor", false}, {"Anchors", false}, {"A&W", false}, {"123 456", false},
		{"无印良品", false},
		{"Anchor Bar", true}, {"Arby's", true}, {"Häagen-Dazs", true},
	} {
		if got := n.identifies(printed(test.name)); got != test.identifies {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	for _, test := range []struct {
		name    string
		curated bool
	}{{"Shell", true}, {"Shell Oil Express", true}, {"Shelly's", false}, {"Shell Point", false}} {
		if got := n.curated(printed(test.name)); got != test.curated {
			t.Errorf("curated %s: %v", test.name, got)
		}
	}
}

func TestBrandsOfOtherCountriesAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		include, exclude []any
		operator, want   bool
	}{
		{include: []any{"us"}, want: true},
		{include: []any{"de", "us-tx.geojson"}, want: true},
		{include: []any{"001"}, want: true},
		{include: []any{"001"}, operator: true},
		{include: []any{"001"}, exclude: []any{"us"}},
		{include: []any{"de"}},
		{include: []any{[]any{-79.4, 43.6, 50.0}}},
	} {
		var i item
		i.LocationSet.Include, i.LocationSet.Exclude = test.include, test.exclude
		if got := i.american(test.operator); got != test.want {
			t.Errorf("%v without %v: %v", test.include, test.exclude, got)
		}
	}
}
