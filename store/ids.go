package store

import (
	"bytes"
	"slices"

	"github.com/google/uuid"

	"bizfin/store/statement"
)

// newID makes a UUID of version 7, which keeps the rows of a business in the order they arrive.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// uuids makes an array parameter.
func uuids(ids []uuid.UUID) string { return statement.UUIDs(ids) }

// CompareUUIDs orders ids as PostgreSQL does: the order in which rows are locked and lists go on.
func CompareUUIDs(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

// inOrder sorts ids and drops repeated ones.
func inOrder(ids []uuid.UUID) []uuid.UUID {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, CompareUUIDs)
	return slices.Compact(ids)
}

// falseFirst orders what is not before what is.
func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
