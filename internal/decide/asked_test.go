package decide_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bizfin/internal/books"
)

// TestBooksInMemory answers all questions of the books that BIZFIN_EVAL_BOOKS names, as make eval does over HTTP: in
// seconds what takes that most of an hour, but for what the store does. Of held books only sums are logged.
func TestBooksInMemory(t *testing.T) {
	patterns := os.Getenv("BIZFIN_EVAL_BOOKS")
	if patterns == "" {
		t.Skip("BIZFIN_EVAL_BOOKS names no books")
	}
	var all askedSum
	for pattern := range strings.SplitSeq(patterns, ",") {
		folders, err := filepath.Glob(filepath.Join("../books/testdata", pattern))
		if err != nil || len(folders) == 0 {
			t.Fatalf("no books are %q, %v", pattern, err)
		}
		for _, folder := range folders {
			b := answeredBook(t, folder)
			all.add(b)
			if !strings.HasPrefix(pattern, "held") {
				t.Logf("%-32s after twelve %5.2f, all %5.2f, wrong %5.2f, lines %d, questions %d, skipped %d",
					filepath.Base(folder), b.twelve, b.all, b.wrong, b.lines, b.questions, b.skipped)
			}
		}
	}
	n := float64(all.books)
	t.Logf("%d books: error after twelve answers %.2f (worst %.2f, %d above 1), after all %.2f (worst %.2f)", all.books,
		all.twelve/n, all.worst.twelve, all.above, all.all/n, all.worst.all)
	t.Logf("established and wrong %.2f, lines off %d, questions %d, skipped %d", all.wrong/n, all.lines, all.questions,
		all.skipped)
}

// askedSums are what a book misses of net profit after twelve answers and after all, and what stands and is wrong after
// twelve, in percent of gross receipts; the lines of the form off by over 2 %, and the questions.
type askedSums struct {
	twelve, all, wrong        float64
	lines, questions, skipped int
}

type askedSum struct {
	askedSums
	worst        askedSums
	books, above int
}

func (s *askedSum) add(b askedSums) {
	s.books++
	s.twelve, s.all, s.wrong = s.twelve+b.twelve, s.all+b.all, s.wrong+b.wrong
	s.lines, s.questions, s.skipped = s.lines+b.lines, s.questions+b.questions, s.skipped+b.skipped
	s.worst.twelve, s.worst.all = max(s.worst.twelve, b.twelve), max(s.worst.all, b.all)
	if b.twelve > 1 {
		s.above++
	}
}

func answeredBook(t *testing.T, folder string) (b askedSums) {
	t.Helper()
	a := newAsker(t, folder)
	receipts := a.book.GrossReceipts()
	for list := a.questions(); len(list) > 0 && b.questions < 300; list = a.questions() {
		if a.answer(list[0]) == books.Skip {
			b.skipped++
		}
		if b.questions++; b.questions == 12 {
			s := a.stands()
			b.twelve, b.wrong = percent(s.held, receipts), percent(s.standing.Silent, receipts)
		}
	}
	b.all = percent(a.stands().held, receipts)
	filed := map[string]books.Filed{}
	for _, d := range a.decided {
		if parts, established := a.believed(d); established {
			filed[a.truth[d.Row.ID].ID] = books.Filed{Established: parts}
		}
	}
	b.lines = len(books.LineErrors(a.book.Rows, filed))
	return b
}
