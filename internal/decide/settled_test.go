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

// shownBy is what one book shows of a cell.
type shownBy struct {
	rows, off int
	largest   money.Amount // of the rows on their line; zero where there is none
}

// labelled are the books that may be read.
func labelled(t *testing.T) (folders []string) {
	t.Helper()
	for _, set := range []string{"tune", "fresh"} {
		found, err := filepath.Glob("../books/testdata/" + set + "/*")
		if err != nil || len(found) == 0 {
			t.Fatalf("no books in %s, %v", set, err)
		}
		folders = append(folders, found...)
	}
	return folders
}

// shows is what a book shows of the cells of settled.csv.
func shows(t *testing.T, book *books.Book) map[decide.Cell]shownBy {
	t.Helper()
	cells, shown := decide.Settled(), map[decide.Cell]shownBy{}
	for i, d := range decided(t, book) {
		row := book.Rows[i]
		category, ok := ontology.ScheduleC().ByID(d.CategoryID)
		if !ok || !decide.MayStand(d) {
			continue
		}
		cell, ok := decide.CellOf(category.Path, d.Decision)
		size := max(row.Amount, -row.Amount)
		if !ok || size < cells[cell].From {
			continue
		}
		s := shown[cell]
		s.rows++
		if isShown(row, []books.Part{{Category: category, Amount: row.Amount}}) {
			s.largest = max(s.largest, size)
		} else {
			s.off++
		}
		shown[cell] = s
	}
	return shown
}

// counted are the cells of settled.csv as some books show them.
func counted(all []map[decide.Cell]shownBy) map[decide.Cell]decide.Shown {
	cells := decide.Settled()
	for cell, c := range cells {
		c = decide.Shown{From: c.From}
		var largest []money.Amount // of each book that had such rows on their line
		for _, book := range all {
			s := book[cell]
			c.Rows, c.Off = c.Rows+s.rows, c.Off+s.off
			if s.largest > 0 {
				largest = append(largest, s.largest)
			}
		}
		slices.Sort(largest)
		if c.Books = len(largest); c.Books >= decide.Independent {
			c.Upto = 2 * largest[c.Books-decide.Independent]
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
	var all []map[decide.Cell]shownBy
	for _, folder := range labelled(t) {
		all = append(all, shows(t, load(t, folder)))
	}
	cells := counted(all)
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

// TestWhatStandsInABookIsShownByOthers holds each labelled book of the first eighteen to the bars by what the others
// alone show: so it is with books that nobody has read.
func TestWhatStandsInABookIsShownByOthers(t *testing.T) {
	folders := labelled(t)
	var all []map[decide.Cell]shownBy
	for _, folder := range folders {
		all = append(all, shows(t, load(t, folder)))
	}
	for i, folder := range folders {
		cells := counted(slices.Delete(slices.Clone(all), i, i+1))
		book := load(t, folder)
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
		if !strings.Contains(folder, "/tune/") {
			continue
		}
		t.Logf("%s: %.2f %% stand, %.2f %% of them on their line, %.2f %% of receipts missed", filepath.Base(folder),
			percent(s.Established, s.Rows), right, missed)
		if right < 97 || missed > 0.5 {
			t.Errorf("%s: want 97 %% on their line, 0.5 %% missed", filepath.Base(folder))
		}
	}
}

func load(t *testing.T, folder string) *books.Book {
	t.Helper()
	book, err := books.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return book
}
