package books

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/money"
)

// Every book is labelled with categories and parts that add up, and has a year of rows.
func TestEveryBookLoads(t *testing.T) {
	folders, err := filepath.Glob("testdata/*/*")
	if err != nil || len(folders) < 12 {
		t.Fatalf("%d books, %v; want at least twelve", len(folders), err)
	}
	for _, folder := range folders {
		book, err := Load(folder)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(book.Months()) < 12 || book.GrossReceipts() <= 0 {
			t.Errorf("%s has %d months and receipts of %v", folder, len(book.Months()), book.GrossReceipts())
		}
	}
}

// How far two bookkeepers agree is how good a measure the labels can be.
func TestTwoHandsAgreeOnMostRows(t *testing.T) {
	labelled, err := filepath.Glob("testdata/*/*/second.csv")
	if err != nil || len(labelled) < 12 {
		t.Fatalf("%d books, %v; want at least twelve", len(labelled), err)
	}
	for _, labels := range labelled {
		folder := filepath.Dir(labels)
		book, err := Load(folder)
		if err != nil {
			t.Fatal(err)
		}
		second, err := book.SecondLabels(folder)
		if err != nil {
			t.Fatal(err)
		}
		filed := map[string]Filed{}
		for id, parts := range second {
			filed[id] = Filed{Established: parts}
		}
		s := Measure(book.Rows, filed)
		alike := float64(s.Right) / float64(s.Rows)
		t.Logf("%-45s %5.1f %% of rows on the same line; they differ by %5.1f %% of receipts in profit", folder,
			100*alike, 100*float64(s.Silent)/float64(book.GrossReceipts()))
		if alike < 0.75 {
			t.Errorf("%s: two hands agree on %.2f of the rows", folder, alike)
		}
	}
}

func parts(t *testing.T, label string, amount money.Amount) []Part {
	t.Helper()
	all, err := readParts(label, amount)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func row(t *testing.T, id, label string, amount money.Amount) Row {
	t.Helper()
	return Row{ID: id, Date: "2025-01-01", Amount: amount, Truth: parts(t, label, amount)}
}

func TestPartsAddUpToTheirRow(t *testing.T) {
	if _, err := readParts("expense.meals:-6.00;personal.living:-3.99", -1000); err == nil {
		t.Error("parts that are a cent short are taken")
	}
	if _, err := readParts("expense.zebras", -1000); err == nil {
		t.Error("a category that is none is taken")
	}
}

func TestMeasureCountsWhatIsMissed(t *testing.T) {
	rows := []Row{
		row(t, "right", "expense.supplies.tools", -1000),
		row(t, "other line", "expense.meals", -2000),
		row(t, "off the form", "equity.owner_draw", -4000),
		row(t, "half private", "expense.utilities.phone:-6.00;personal.living:-4.00", -1000),
		row(t, "open", "revenue.sales", 5000),
	}
	filed := map[string]Filed{
		"right":        {Established: parts(t, "expense.supplies", -1000)},
		"other line":   {Established: parts(t, "expense.travel.air", -2000)},
		"off the form": {Established: parts(t, "expense.contract_labor", -4000)},
		"half private": {Established: parts(t, "expense.utilities.phone", -1000)},
	}
	want := Standing{
		Rows: 5, Established: 4, Right: 1, Dollars: 13000, Decided: 8000, Open: 5000,
		Silent:   4000 + 400,
		Misfiled: 2000 + 4000 + 400,
	}
	if diff := cmp.Diff(want, Measure(rows, filed)); diff != "" {
		t.Error(diff)
	}
}

func TestTheOwnerSaysWhatIsTrueOfEveryRow(t *testing.T) {
	alike := []Row{row(t, "a", "expense.meals", -1000), row(t, "b", "expense.meals", -2000)}
	shares := []Row{
		row(t, "a", "expense.utilities.phone:-6.00;personal.living:-4.00", -1000),
		row(t, "b", "expense.utilities.phone:-12.00;personal.living:-8.00", -2000),
	}
	differ := []Row{row(t, "a", "expense.meals", -1000), row(t, "b", "personal.living", -2000)}
	mostly := []Row{row(t, "a", "expense.meals", -1000), row(t, "b", "personal.living", -20000)}
	loan := []Row{
		row(t, "a", "liability.loan_principal:-7.00;expense.interest.other:-3.00", -1000),
		row(t, "b", "liability.loan_principal:-7.50;expense.interest.other:-2.50", -1000),
	}
	var provider []Row
	for i := range 3 {
		pay := row(t, fmt.Sprint("pay", i), "expense.wages.net_pay", -90000)
		tax := row(t, fmt.Sprint("tax", i), fmt.Sprintf(
			"liability.payroll_tax_withheld:-%d.00;expense.taxes_licenses.payroll:-%d.00", 9-i, 1+i), -1000)
		pay.Description, tax.Description = "GUSTO NET 8812", fmt.Sprintf("GUSTO TAX 88%d", i)
		provider = append(provider, pay, tax)
	}
	two := []Row{
		row(t, "a", "expense.supplies:-3.00;personal.living:-2.00", -500),
		row(t, "b", "expense.utilities.phone:-6.00;personal.living:-44.00", -5000),
	}
	for _, c := range []struct {
		name  string
		asked Question
		want  Reply
	}{
		{"an option", Question{Rows: alike, Options: []string{"expense.meals"}}, Reply{"expense.meals", "Meals", true}},
		{"words where no option fits", Question{Rows: alike, FreeText: true}, Reply{"", "expense.meals", true}},
		{"shares", Question{Rows: shares, Splits: true},
			Reply{"", "60% expense.utilities.phone, rest personal.living", true}},
		{"amounts of one row", Question{Rows: shares[:1], Splits: true},
			Reply{"", "6.00 expense.utilities.phone, rest personal.living", true}},
		{"lines", Question{Rows: differ, Splits: true, Numbers: []int{1, 2}},
			Reply{"", "personal.living; 1: expense.meals", true}},
		{"a year's interest", Question{Rows: loan, Splits: true},
			Reply{"", "5.50 expense.interest.other, rest liability.loan_principal in 2025", true}},
		{"shares of some, by a word of their lines", Question{Rows: provider, Splits: true, Numbers: make([]int, 6)},
			Reply{"", "expense.wages.net_pay; " +
				"#TAX: 6.00 expense.taxes_licenses.payroll, rest liability.payroll_tax_withheld in 2025", true}},
		{"each in its own way", Question{Rows: two, Splits: true, Numbers: []int{1, 2}},
			Reply{"", "6.00 expense.utilities.phone, rest personal.living; " +
				"1: 3.00 expense.supplies, rest personal.living", true}},

		{"the rule of nine tenths", Question{Rows: mostly, FreeText: true}, Reply{"", "personal.living", false}},
		{"nothing", Question{Rows: differ, FreeText: true}, Skip},
	} {
		if got := Truthful(c.asked)[0]; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Beside what was taken off, a part may be more than the row: no answer may say so of any but the rest.
func TestTheOwnerSaysNoShareAboveTheWhole(t *testing.T) {
	const off, sold = "expense.commissions_fees.payment_processing", "revenue.sales.products"
	for truth, want := range map[string]string{
		off + ":-13.00;" + sold + ":106.00;liability.sales_tax_collected:7.00": "",
		off + ":-13.00;" + sold + ":113.00":                                    "less 13% " + off + ", rest " + sold,
	} {
		rows := []Row{row(t, "a", truth, 100_00)}
		for _, way := range []func([]Row) (string, bool){percents, about} {
			if got, ok := way(rows); got != want || ok != (want != "") {
				t.Errorf("%s: %q, %v; want %q", truth, got, ok, want)
			}
		}
	}
}
