package decide_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bizfin/internal/books"
	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// counted are the cells of settled.csv as some books show them.
func counted(t *testing.T, folders []string) map[decide.Cell]decide.Shown {
	t.Helper()
	cells := decide.Settled()
	largest := map[decide.Cell][]money.Amount{} // of each book that had such rows on their line
	for cell, c := range cells {
		cells[cell] = decide.Shown{From: c.From}
	}
	for _, folder := range folders {
		book, err := books.Load(folder)
		if err != nil {
			t.Fatal(err)
		}
		most := map[decide.Cell]money.Amount{}
		for i, d := range decided(t, book) {
			row := book.Rows[i]
			category, ok := ontology.ScheduleC().ByID(d.CategoryID)
			if !ok || !decide.MayStand(d) {
				continue
			}
			cell, ok := decide.CellOf(category.Path, d.Decision)
			c := cells[cell]
			size := max(row.Amount, -row.Amount)
			if !ok || size < c.From {
				continue
			}
			c.Rows++
			if isShown(row, []books.Part{{Category: category, Amount: row.Amount}}) {
				most[cell] = max(most[cell], size)
			} else {
				c.Off++
			}
			cells[cell] = c
		}
		for cell, size := range most {
			largest[cell] = append(largest[cell], size)
		}
	}
	for cell, sizes := range largest {
		c := cells[cell]
		slices.Sort(sizes)
		if c.Books = len(sizes); c.Books >= decide.Independent {
			c.Upto = 2 * sizes[c.Books-decide.Independent]
		}
		cells[cell] = c
	}
	return cells
}

// isShown is whether a row is what its line says: on its line of the form or, where it came in, as much of the profit.
// Whether a payout is named before or after the fees that were taken off of it, its line does not say.
func isShown(row books.Row, parts []books.Part) bool {
	if row.Amount > 0 {
		return books.Missed(row, parts) == 0
	}
	return books.Right(row, parts)
}

// TestWhatSettlesIsCounted holds the figures of settled.csv to the labelled books that may be read; -fit writes
// them.
func TestWhatSettlesIsCounted(t *testing.T) {
	folders, err := filepath.Glob("../books/testdata/tune/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no books, %v", err)
	}
	cells := counted(t, folders)
	const file = "settled.csv"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for line := range strings.Lines(string(raw)) {
		fields, err := csv.NewReader(strings.NewReader(line)).Read()
		if err == nil && len(fields) == 7 && fields[0] != "path" && line[0] != '#' {
			c := cells[decide.Cell{Path: fields[0], By: fields[1]}]
			line = fmt.Sprintf("%s,%s,%v,%v,%d,%d,%d\n", fields[0], fields[1], c.From, c.Upto, c.Books, c.Rows, c.Off)
		}
		text.WriteString(line)
	}
	switch {
	case text.String() == string(raw):
	case *fit:
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the books show; count it anew with -args -fit", file)
	}
}

// TestWhatStandsInABookIsShownByOthers holds each labelled book that may be read to the bars by what the others alone
// show: so it is with books that nobody has read.
func TestWhatStandsInABookIsShownByOthers(t *testing.T) {
	folders, err := filepath.Glob("../books/testdata/tune/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no books, %v", err)
	}
	for i, folder := range folders {
		cells := counted(t, slices.Delete(slices.Clone(folders), i, i+1))
		book, err := books.Load(folder)
		if err != nil {
			t.Fatal(err)
		}
		filed := map[string]books.Filed{}
		for i, d := range decided(t, book) {
			row := book.Rows[i]
			category, ok := ontology.ScheduleC().ByID(d.CategoryID)
			if !ok || !d.Established || category.Root().Path == ontology.Uncategorized {
				continue
			}
			if cell, ok := decide.CellOf(category.Path, d.Decision); ok && !cells[cell].Of(row.Amount) {
				continue
			}
			filed[row.ID] = books.Filed{Established: []books.Part{{Category: category, Amount: row.Amount}}}
		}
		s := books.Measure(book.Rows, filed)
		right, missed := percent(s.Right+s.Net, s.Established), percent(s.Silent, book.GrossReceipts())
		t.Logf("%s: %.2f %% stand, %.2f %% of them on their line, %.2f %% of receipts missed", filepath.Base(folder),
			percent(s.Established, s.Rows), right, missed)
		if right < 97 || missed > 0.5 {
			t.Errorf("%s: want 97 %% on their line, 0.5 %% missed", filepath.Base(folder))
		}
	}
}
