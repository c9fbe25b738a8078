package recurrence

import (
	"time"

	"bizfin/internal/money"
)

// Cadence is how often a payment comes, in the contract's words.
type Cadence string

// occurrence is what came on one day.
type occurrence struct {
	day    int // since 1970
	amount money.Amount
}

func dayOf(t time.Time) int { return int(t.Unix() / (24 * 60 * 60)) }

func timeOf(day int) time.Time { return time.Unix(int64(day)*24*60*60, 0).UTC() }

// Days that recur are enough for a rhythm where they are all there is and bring like amounts; where amounts differ or
// other payments lie between or before, more of them must agree.
const (
	fewest = 3
	enough = 5
)

// The cadences of the contract. Others, such as twice a month, have no word and so no rhythm.
const (
	Weekly    Cadence = "weekly"
	Biweekly  Cadence = "biweekly"
	Monthly   Cadence = "monthly"
	Quarterly Cadence = "quarterly"
	Yearly    Cadence = "yearly"
)
