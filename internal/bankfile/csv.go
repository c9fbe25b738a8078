package bankfile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

func readCSV(text string, o Options) (File, error) {
	records, separator, err := split(text)
	if err != nil {
		return File{Format: "CSV"}, err
	}
	s := &sheet{Options: o, columns: map[string][]int{}, separator: separator}
	if err := s.findHeader(records); err != nil {
		return File{Format: "CSV"}, err
	}
	if err := s.checkWidths(); err != nil {
		return File{Format: "CSV"}, err
	}
	if err := s.findColumns(); err != nil {
		return File{Format: "CSV"}, err
	}
	account, err := s.rows()
	f := File{Format: "CSV", Style: s.name, Guesses: s.guesses, Accounts: []Account{account}}
	return f, err
}

// split reads the lines with the separator that most of them have.
func split(text string) (records []record, separator rune, err error) {
	separator, most := ',', 0
	for _, candidate := range ",;\t|" {
		if n := strings.Count(text, string(candidate)); n > most {
			separator, most = candidate, n
		}
	}
	if n := strings.Count(text, ";"); separator == ',' && n > 0 { // commas may be those of decimals
		lines := strings.Count(text, "\n")
		if n >= 2*lines {
			separator = ';'
		}
	}
	records, err = recordsOf(text, separator)
	return records, separator, err
}

// recordsOf reads one record of each line. Banks write no line breaks in a field: a record of several lines is a quote
// that was not closed, and has swallowed the rows below it.
func recordsOf(text string, separator rune) ([]record, error) {
	const end = "\nend" // a line of our own, which an open quote in the last line swallows
	text += end
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord, reader.TrimLeadingSpace = separator, true, -1,
		separator != '\t'
	var records []record
	for read := 0; ; {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return records[:max(0, len(records)-1)], nil
		}
		if err != nil {
			return nil, fmt.Errorf("the file is no CSV: %w", err)
		}
		line, _ := reader.FieldPos(0)
		to := int(reader.InputOffset())
		if strings.Contains(strings.Trim(text[read:to], "\n"), "\n") {
			return nil, fmt.Errorf("line %d: a quote is opened and not closed in its line\n"+
				"  Close it, or write the field on one line", line)
		}
		read = to
		if slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
			records = append(records, record{cells, line})
		}
	}
}

// checkWidths refuses a line with more fields than the header: a comma without quotes moved the ones behind it, and an
// amount would be read from the wrong place. Empty fields at the end are habits of banks.
func (s *sheet) checkWidths() error {
	width, than := len(s.header), "the header"
	if width == 0 {
		width, than = usualWidth(s.records), "most lines"
	}
	usual := max(width, usualWidth(s.records)) // with the empty fields that all lines end in
	for _, r := range s.records {
		filled := len(r.cells)
		for filled > 0 && strings.TrimSpace(r.cells[filled-1]) == "" {
			filled--
		}
		if filled > width || len(r.cells) > usual {
			return fmt.Errorf("line %d has %d fields, %s %d: which is the amount cannot be told\n"+
				"  Put the field that has a %q in quotes", r.line, len(r.cells), than, usual, string(s.separator))
		}
	}
	return nil
}

// usualWidth is the number of fields that most lines have, the smaller one of two as frequent.
func usualWidth(records []record) (width int) {
	times := map[int]int{}
	for _, r := range records {
		times[len(r.cells)]++
	}
	for n, lines := range times {
		if lines > times[width] || lines == times[width] && n < width {
			width = n
		}
	}
	return width
}

// findHeader looks for the line that names a date and an amount. Lines above it are a summary. A file may have none,
// where its first line has a date and an amount already.
func (s *sheet) findHeader(records []record) error {
	const deepest = 40
	for i, r := range records[:min(len(records), deepest)] {
		names := make([]string, len(r.cells))
		for j, cell := range r.cells {
			names[j] = titleOf(cell)
		}
		has := func(role string) bool {
			return slices.ContainsFunc(titles[role], func(t string) bool { return slices.Contains(names, t) })
		}
		asked := s.HeaderLine > 0 && r.line == s.HeaderLine
		if asked || s.HeaderLine == 0 && has(roleDate) && (has(roleAmount) || has(roleDebit) && has(roleCredit)) {
			s.header, s.records = names, records[i+1:]
			if i > 0 {
				s.guess("lines 1 to %d are a summary above the header", r.line-1)
			}
			return nil
		}
	}
	if s.HeaderLine > 0 {
		return fmt.Errorf("line %d, which --header names, is not in the file", s.HeaderLine)
	}
	s.records = records
	s.guess("the file has no header")
	return nil
}
