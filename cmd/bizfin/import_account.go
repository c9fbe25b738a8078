package main

import (
	"bizfin/cmd/bizfin/demo"
	"bizfin/internal/money"
)

type importedAccount struct {
	ExternalID string        `json:"external_id"`
	Name       string        `json:"name"`
	Type       string        `json:"type"`
	Currency   string        `json:"currency"`
	Rows       int           `json:"rows"`
	From       string        `json:"from"`
	To         string        `json:"to"`
	Sums       []currencySum `json:"sums"`
	Alike      *int          `json:"alike"` // rows like ones that were there; null after a dry run
	Skipped    []skippedLine `json:"skipped"`
	balance    *money.Amount
	stored     bool
	rows       []demo.Row
}

// currencySum is what the rows of one currency come to.
type currencySum struct {
	Currency string      `json:"currency"`
	Rows     int         `json:"rows"`
	In       money.Total `json:"in"`
	Out      money.Total `json:"out"`
}

type skippedLine struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}
