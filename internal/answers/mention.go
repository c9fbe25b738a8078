package answers

import "github.com/google/uuid"

// rank orders references by which outranks which.
type rank int

const (
	byNumber rank = iota
	byWord
	byAmount
	byName
	byDate
	theRest
)

// mention is where words name rows.
type mention struct {
	from, to int // of the words
	rows     []uuid.UUID
	rank     rank
	kind     mentioned
	sure     bool // they name rows beyond doubt
	several  bool // they are written of several: the 640s

	theirs []uuid.UUID // all rows of somebody of whom they are those on one side of a day
}

// mentioned is what rows are named by.
type mentioned int

const (
	theLine   mentioned = iota // its number
	theNumber                  // one that the bank wrote
	theAmount
	theParty
	theDate
	theWords // of the bank
	thePlace // in the list, or by size
)
