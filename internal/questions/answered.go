package questions

import (
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/split"
)

// Answered is an earlier answer of the business, about a topic.
type Answered struct {
	CounterpartyKey string // the key of the question, or of each counterparty that the answer is about
	Incoming        bool
	Amount          money.Amount // of the newest row that was asked about
	Largest         money.Amount // of all these rows, without sign
	CategoryID      *int
	Relationship    *string
	Note            *string     // the words of an answer without a category
	Mixed           bool        // no one category fits: rows keep none
	Split           *split.Spec // how it divides rows, where its category is split.Category
	Way             int         // which of the ways of its answer that is, from 1 on
	AnswerID        uuid.UUID   // the answer that it is the memory of; zero for those of before there were ids
	// What the use is, as far as the rows that were asked about show it; nil and empty where they do not.
	Smallest     *money.Amount
	RowCount     *int64
	AccountTypes string // separated by commas
	LeastDays    *int   // between two rows
	MostDays     *int
	Newest       *time.Time
	Reads        string // the categories that the rows read before the answer, by their ids, separated by commas
	Several      bool   // the answer said several things of the rows of this key: this is one
	OfSome       bool   // the answer said something of some rows alone
	Leftover     bool   // all its rows are such as an answer before left open, which holds for the others
	Contradicted bool   // a single row of the use was said to be something else
	Whole        bool   // it is about all money of the counterparty in this direction, whatever it is for
	// The counterparty is another one: its key, and what it is, where it is still there.
	SameAs             *string
	SameAsName         *string
	SameAsType         *string
	SameAsRelationship *string
	SameAsWebsite      *string
	SameAsConfidence   *money.Ratio
}

// Said is the category that the business answered.
type Said struct {
	CategoryID int
	AnswerID   uuid.UUID // the answer; zero for one of before there were ids
}

func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
