package recurrence_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bizfin/internal/money"
	"bizfin/internal/recurrence"
)

func on(day string) time.Time {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return t
}

// paid are payments, as "2026-01-01:-20.00 2026-02-01:-20.00".
func paid(text string) []recurrence.Payment {
	var list []recurrence.Payment
	for field := range strings.FieldsSeq(text) {
		day, amount, _ := strings.Cut(field, ":")
		cents, err := money.Parse(amount)
		if err != nil {
			panic(err)
		}
		list = append(list, recurrence.Payment{Day: on(day), Amount: cents})
	}
	return list
}

func TestRhythms(t *testing.T) {
	for name, c := range map[string]struct{ payments, asOf, want string }{
		"rent at the first, moved by weekends": {"2026-01-02:-2000 2026-02-02:-2000 2026-03-02:-2000 2026-04-01:-2000",
			"2026-04-20", "monthly -2000.00 2026-05-02"},
		"at the end of every month": {"2025-12-31:-50 2026-01-31:-50 2026-02-28:-50 2026-03-31:-50",
			"2026-04-01", "monthly -50.00 2026-04-30"},
		"the 30th is not the end": {"2025-11-30:-50 2025-12-30:-50 2026-01-30:-50 2026-02-28:-50",
			"2026-03-01", "monthly -50.00 2026-03-30"},
		"over the turn of months": {"2026-01-31:-50 2026-03-01:-50 2026-03-31:-50 2026-05-01:-50",
			"2026-05-01", "monthly -50.00 2026-05-31"},
		"over a leap day": {"2023-12-31:-50 2024-01-31:-50 2024-02-29:-50", "2024-03-01",
			"monthly -50.00 2024-03-31"},
		"every other Friday, once a Thursday": {"2026-06-05:900 2026-06-18:900 2026-07-03:900", "2026-07-03",
			"biweekly 900.00 2026-07-17"},
		"weekly": {"2026-06-01:-9.99 2026-06-08:-9.99 2026-06-15:-9.99", "2026-06-15",
			"weekly -9.99 2026-06-22"},
		"quarterly": {"2025-09-30:-300 2025-12-31:-300 2026-03-31:-300", "2026-04-15",
			"quarterly -300.00 2026-06-30"},
		"yearly": {"2024-02-29:-120 2025-02-28:-120 2026-03-02:-120", "2026-05-01",
			"yearly -120.00 2027-02-28"},
		"two are too few":           {"2026-06-01:-10 2026-07-01:-10", "2026-07-01", ""},
		"three on two days are two": {"2026-06-01:-10 2026-06-01:-10 2026-07-01:-10", "2026-07-01", ""},
		"payments of a day count together": {"2026-05-01:-10 2026-05-01:-5 2026-06-01:-15 2026-07-01:-15.01",
			"2026-07-01", "monthly -15.00 2026-08-01"},
		"three of unlike amounts": {"2026-05-01:-10 2026-06-01:-100 2026-07-01:-1000", "2026-07-01", ""},
		"five of unlike amounts": {
			"2026-03-01:-10 2026-04-01:-100 2026-05-01:-40 2026-06-01:-90 2026-07-01:-70", "2026-07-01",
			"monthly -62.00 2026-08-01",
		},
		"a purchase between": {
			"2026-02-01:-50 2026-03-01:-50 2026-04-01:-50 2026-04-17:-700 2026-05-01:-50 2026-06-01:-50", "2026-06-02",
			"monthly -50.00 2026-07-01",
		},
		"a pause, then five": {
			"2025-01-01:-50 2026-02-01:-50 2026-03-01:-50 2026-04-01:-50 2026-05-01:-50 2026-06-01:-50", "2026-06-02",
			"monthly -50.00 2026-07-01",
		},
		"a pause, then four": {
			"2025-01-01:-50 2026-03-01:-50 2026-04-01:-50 2026-05-01:-50 2026-06-01:-50", "2026-06-02", "",
		},
		"every day": {
			"2026-06-01:-5 2026-06-02:-5 2026-06-03:-5 2026-06-04:-5 2026-06-05:-5", "2026-06-05", "",
		},
		"twice a month has no word": {
			"2026-01-15:-5 2026-01-31:-5 2026-02-15:-5 2026-02-28:-5 2026-03-15:-5 2026-03-31:-5 2026-04-15:-5 " +
				"2026-04-30:-5 2026-05-15:-5", "2026-05-15", "",
		},
		"every five weeks has none": {
			"2026-01-01:-5 2026-02-05:-5 2026-03-12:-5 2026-04-16:-5 2026-05-21:-5", "2026-05-21", "",
		},
		"late, but not over": {"2026-01-10:-5 2026-02-10:-5 2026-03-10:-5", "2026-05-10",
			"monthly -5.00 2026-04-10"},
		"over":               {"2026-01-10:-5 2026-02-10:-5 2026-03-10:-5", "2026-05-11", ""},
		"over after 45 days": {"2023-01-10:-5 2024-01-10:-5 2025-01-10:-5", "2026-02-25", ""},
		"refunds beside payments": {"2026-01-10:-50 2026-01-12:50 2026-02-10:-50 2026-03-10:-50",
			"2026-03-10", "monthly -50.00 2026-04-10"},
		"the longer of two": {
			"2026-01-10:-5 2026-02-10:-5 2026-03-10:-5 2026-01-11:7 2026-02-11:7 2026-03-11:7 2025-12-11:7",
			"2026-03-11", "monthly 7.00 2026-04-11",
		},
		"out of two equal ones": {
			"2026-01-10:-5 2026-02-10:-5 2026-03-10:-5 2026-01-11:7 2026-02-11:7 2026-03-11:7", "2026-03-11",
			"monthly -5.00 2026-04-10",
		},
		"half a cent goes to the even": {
			"2026-01-10:0.01 2026-01-10:0.99 2026-02-10:1 2026-03-10:1.01 2026-04-10:1.01", "2026-04-10",
			"monthly 1.00 2026-05-10",
		},
		"half a cent below nothing": {"2026-01-10:-1.01 2026-02-10:-1.01 2026-03-10:-1.02 2026-04-10:-1.02",
			"2026-04-10", "monthly -1.02 2026-05-10"},
		"more than an amount a day": {
			"2026-01-10:-9999999999999.99 2026-01-10:-1 2026-02-10:-5 2026-03-10:-5", "2026-03-10", "",
		},
		"the largest": {
			"2026-01-10:-9999999999999.99 2026-02-10:-9999999999999.99 2026-03-10:-9999999999999.99", "2026-03-10",
			"monthly -9999999999999.99 2026-04-10",
		},
		"nothing": {"", "2026-03-10", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if r, ok := recurrence.Of(paid(c.payments), on(c.asOf)); ok {
				got = string(r.Cadence) + " " + r.Average.String() + " " + r.Next.Format(time.DateOnly)
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// bill is something due at a day of the month, paid on the next working day where that is a weekend.
type bill struct {
	months, day, count int
	first              time.Time // of the first month
	amount             money.Amount
}

func (b bill) due(i int) time.Time {
	month := b.first.AddDate(0, i*b.months, 0)
	last := month.AddDate(0, 1, -1).Day()
	return month.AddDate(0, 0, min(b.day, last)-1)
}

func (b bill) payments() []recurrence.Payment {
	var list []recurrence.Payment
	for i := range b.count {
		day := b.due(i)
		for day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
			day = day.AddDate(0, 0, 1)
		}
		list = append(list, recurrence.Payment{Day: day, Amount: b.amount})
	}
	return list
}

var anyBill = rapid.Custom(func(t *rapid.T) bill {
	return bill{
		months: rapid.SampledFrom([]int{1, 3, 12}).Draw(t, "months"), day: rapid.IntRange(1, 31).Draw(t, "day"),
		count: rapid.IntRange(3, 30).Draw(t, "count"),
		first: time.Date(rapid.IntRange(1990, 2040).Draw(t, "year"),
			time.Month(rapid.IntRange(1, 12).Draw(t, "month")), 1, 0, 0, 0, 0, time.UTC),
		amount: money.Amount(rapid.Int64Range(1, int64(money.Max)).Draw(t,
			"amount")) * money.Amount(rapid.SampledFrom([]int{-1, 1}).Draw(t, "sign")),
	}
})

func TestABillPaidOnWorkingDaysIsFoundAndExpectedWhenItIsDue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := anyBill.Draw(t, "bill")
		payments := b.payments()
		got, ok := recurrence.Of(payments, payments[len(payments)-1].Day)
		want := map[int]recurrence.Cadence{1: recurrence.Monthly, 3: recurrence.Quarterly,
			12: recurrence.Yearly}[b.months]
		if !ok || got.Cadence != want || got.Average != b.amount {
			t.Fatalf("%+v %v, want %s of %s", got, ok, want, b.amount)
		}
		if off := got.Next.Sub(b.due(b.count)); off < -3*24*time.Hour || off > 3*24*time.Hour {
			t.Fatalf("expected on %s, due on %s", got.Next, b.due(b.count))
		}
	})
}

// anyPayments are of few days and amounts, so that rhythms come about.
var anyPayments = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) recurrence.Payment {
	day := 7*rapid.IntRange(0, 20).Draw(t, "week") + rapid.IntRange(0, 1).Draw(t, "day")
	return recurrence.Payment{Day: on("2026-01-05").AddDate(0, 0, day),
		Amount: money.Amount(rapid.IntRange(-3, 3).Draw(t, "amount"))}
}), 0, 25)

func TestARhythmDoesNotDependOnTheOrderOrTheDirection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payments := anyPayments.Draw(t, "payments")
		asOf := on("2026-03-01").AddDate(0, 0, rapid.IntRange(0, 200).Draw(t, "as of"))
		got, ok := recurrence.Of(payments, asOf)
		shuffled := rapid.Permutation(payments).Draw(t, "shuffled")
		if again, okAgain := recurrence.Of(slices.Clone(shuffled), asOf); again != got || okAgain != ok {
			t.Fatalf("%+v %v, in another order %+v %v", got, ok, again, okAgain)
		}
		days := map[time.Time]bool{}
		for i := range shuffled {
			if shuffled[i].Amount < 0 {
				days[shuffled[i].Day] = true
			}
			shuffled[i].Amount = max(0, -shuffled[i].Amount)
		}
		in, okIn := recurrence.Of(shuffled, asOf)
		for i := range shuffled {
			shuffled[i].Amount *= -1
		}
		out, okOut := recurrence.Of(shuffled, asOf)
		if in.Average *= -1; in != out || okIn != okOut {
			t.Fatalf("in %+v %v, out %+v %v", in, okIn, out, okOut)
		}
		if okOut && len(days) < 3 {
			t.Fatalf("a rhythm of %d days", len(days))
		}
	})
}

// Once over, a rhythm stays over.
func TestARhythmEndsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payments := anyPayments.Draw(t, "payments")
		asOf := on("2026-03-01").AddDate(0, 0, rapid.IntRange(0, 200).Draw(t, "as of"))
		if got, ok := recurrence.Of(payments, asOf); ok {
			if asOf.Sub(got.Next) > 45*24*time.Hour {
				t.Fatalf("%+v is not over on %s", got, asOf)
			}
			if _, earlier := recurrence.Of(payments, asOf.AddDate(0, 0, -1)); !earlier {
				t.Fatalf("%+v was over the day before %s", got, asOf)
			}
		}
	})
}
