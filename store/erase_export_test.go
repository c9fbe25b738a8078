package store

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// ErasedTables are those of a business.
var ErasedTables = erasedTables

// PersonalTables are those of a person.
func PersonalTables() (names []string) {
	for _, t := range personalTables {
		names = append(names, t.table)
	}
	return names
}

// NamesOfPersons are the columns of businesses that name a person.
func NamesOfPersons() (names []string) {
	for _, c := range answeredBy {
		names = append(names, c.table+"."+c.column)
	}
	return names
}

// BeginErasing is the first step of an erasure, after which it is killed.
func (d *DB) BeginErasing(ctx context.Context, now time.Time, id uuid.UUID) (Erased, error) {
	return d.beginErasing(ctx, now, id, time.Time{})
}

// BeginErasingPartner is the first step of a partner's end, after which it is killed.
func (d *DB) BeginErasingPartner(ctx context.Context, now time.Time, id string) error {
	return d.beginErasingPartner(ctx, now, id)
}

// EraseRows is a step of an erasure, and whether another round is to follow where it fails.
func (d *DB) EraseRows(ctx context.Context, table string, id uuid.UUID) (again bool, err error) {
	_, err = d.eraseRows(ctx, table, id)
	return isHeld(err), err
}
