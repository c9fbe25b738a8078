package questions

import (
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
)

// Line is a row as a person is to recognize it.
type Line struct {
	ID          uuid.UUID
	Amount      money.Amount // of Currency; positive is incoming
	Currency    string
	Description string      // the bank's words
	PrimaryDate time.Time   // midnight in UTC
	LeftOpenBy  []uuid.UUID // answers that were asked about it, or spoke for its like, and said nothing of it
	ExcludedBy  []uuid.UUID // those of them that name it, and left it out or were not understood
}

// Incoming reports the direction of the money; 0 is read as outgoing.
func (l Line) Incoming() bool { return l.Amount > 0 }
