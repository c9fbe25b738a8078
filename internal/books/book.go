// Package books measures what is made of labelled books: a year of a business whose every row says what it truly is.
//
// The truth is worked out here from the labels alone, in whole cents, and never from the reports it is compared with.
// A book is small enough for sums to be Amounts.
// Everything but [Load] is pure.
package books

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Book is a year of one business, labelled.
type Book struct {
	Name        string    `yaml:"name"`
	Kind        string    `yaml:"kind"`
	Accounts    []Account `yaml:"accounts"`
	Unconnected []string  `yaml:"unconnected"` // accounts that exist and of which no row is seen
	Rows        []Row     `yaml:"-"`           // by date, as in the file
}

// Account is a connected account.
type Account struct {
	ID       string `yaml:"id"`
	Name     string `yaml:"name"`
	Type     string `yaml:"type"` // as the API has it: depository, credit
	Currency string `yaml:"currency"`
}

// Row is a bank line with what it truly is.
type Row struct {
	ID           string
	Account      string
	Date         string // 2025-03-31
	Amount       money.Amount
	Description  string
	Truth        []Part // adds up to Amount
	Counterparty string
	Ask          bool   // a bookkeeper would have to ask the owner
	Note         string // what the owner knows
}

// Part is so much money of one category; a row without a split is one part.
type Part struct {
	Category *ontology.Category
	Amount   money.Amount
}

// columns of rows.csv.
var columns = []string{"id", "account", "date", "amount", "description", "truth", "counterparty", "ask", "note"}

// Load reads the book in a folder: business.yaml and rows.csv. A label that is no category, or parts that do not add
// up to their row, are an error.
func Load(folder string) (*Book, error) {
	raw, err := os.ReadFile(filepath.Join(folder, "business.yaml"))
	if err != nil {
		return nil, err
	}
	book := &Book{}
	if err := yaml.Unmarshal(raw, book); err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	file, err := os.Open(filepath.Join(folder, "rows.csv"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	if len(records) < 2 || !slices.Equal(records[0], columns) {
		return nil, fmt.Errorf("%s: rows.csv must have the columns %s, and rows", folder, strings.Join(columns, ","))
	}
	for _, record := range records[1:] {
		row, err := readRow(record)
		if err == nil && !slices.ContainsFunc(book.Accounts, func(a Account) bool { return a.ID == row.Account }) {
			err = fmt.Errorf("no account %q", row.Account)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: row %s: %w", folder, record[0], err)
		}
		book.Rows = append(book.Rows, row)
	}
	return book, nil
}

// SecondLabels reads what another bookkeeper, who had not seen the first labels, made of the rows of a book: second.csv
// beside it, by row id. Every row has one, and no other has.
func (b *Book) SecondLabels(folder string) (map[string][]Part, error) {
	file, err := os.Open(filepath.Join(folder, "second.csv"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	said := map[string]string{}
	for _, record := range records[1:] {
		said[record[0]] = record[1]
	}
	if len(said) != len(b.Rows) {
		return nil, fmt.Errorf("%s: %d second labels for %d rows", folder, len(said), len(b.Rows))
	}
	labels := map[string][]Part{}
	for _, row := range b.Rows {
		if labels[row.ID], err = readParts(said[row.ID], row.Amount); err != nil {
			return nil, fmt.Errorf("%s: second label of row %s: %w", folder, row.ID, err)
		}
	}
	return labels, nil
}

func readRow(record []string) (Row, error) {
	row := Row{
		ID: record[0], Account: record[1], Date: record[2], Description: record[4],
		Counterparty: record[6], Ask: record[7] == "1", Note: record[8],
	}
	var err error
	if _, err = time.Parse(time.DateOnly, row.Date); err != nil {
		return row, err
	}
	if row.Amount, err = money.Parse(record[3]); err != nil {
		return row, err
	}
	row.Truth, err = readParts(record[5], row.Amount)
	return row, err
}

// readParts reads a label: a path, or parts as path:amount;path:amount.
func readParts(label string, amount money.Amount) ([]Part, error) {
	var parts []Part
	var sum money.Amount
	for text := range strings.SplitSeq(label, ";") {
		path, literal, split := strings.Cut(text, ":")
		category, ok := ontology.ScheduleC().ByPath(path)
		if !ok || !category.Assignable {
			return nil, fmt.Errorf("no category %q", path)
		}
		part := Part{Category: category, Amount: amount}
		var err error
		if split {
			if part.Amount, err = money.Parse(literal); err != nil {
				return nil, err
			}
		}
		if sum, err = money.Add(sum, part.Amount); err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if sum != amount {
		return nil, fmt.Errorf("the parts of %q add up to %v, the row is %v", label, sum, amount)
	}
	return parts, nil
}
