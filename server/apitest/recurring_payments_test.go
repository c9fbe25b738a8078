package apitest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"bizfin/store"
)

// openToday is a business without a limit on a day, and its account.
func openToday(t *testing.T, today string) (o *office, account string) {
	a := start(t)
	a.clock.Add(on(today).Add(12 * time.Hour).Sub(a.clock.Now()))
	o = a.openTier("paid")
	return o, o.uploadAccount("a")
}

// payments are rows of one counterparty on days.
func payments(prefix, amount, description string, days ...string) []M {
	rows := make([]M, len(days))
	for i, day := range days {
		rows[i] = transaction(fmt.Sprint(prefix, i), amount, day, description)
	}
	return rows
}

// wantRecurring compares what recurs in the first statistics of the only counterparty with a name, in list and detail.
func (o *office) wantRecurring(name string, want any) {
	o.t.Helper()
	list := o.counterparties("query", name).want(200)
	if list.size("counterparties") != 1 {
		o.t.Fatalf("counterparties called %s: %v", name, list.names())
	}
	list.wantAt(want, "counterparties", 0, "stats", 0, "recurring")
	row := o.counterparties("query", name, "detail", "summary").want(200).get("summary", "rows", 0).(M)
	for _, s := range list.get("counterparties", 0, "stats").([]any) {
		recurring, is := s.(M)["recurring"].(M)
		if s.(M)["currency"] == row["currency"] && (is && row["cadence"] != recurring["cadence"] || !is &&
			row["cadence"] != nil) {
			o.t.Errorf("in summary the cadence is %v, in full it is %v", row["cadence"], recurring)
		}
	}
	if more := list.size("counterparties", 0, "stats") - 1; more > 0 &&
		fmt.Sprint(row["otherCurrencyCount"]) != fmt.Sprint(more) {
		o.t.Errorf("in summary there are %v other currencies, want %d", row["otherCurrencyCount"], more)
	}
	o.get(o.path+"/counterparties/"+list.text("counterparties", 0, "id")).want(200).wantAt(want, "counterparty",
		"stats", 0, "recurring")
}

func TestRecurringPaymentsAreFound(t *testing.T) {
	t.Parallel()
	o, account := openToday(t, "2026-04-15")
	o.upload(account, payments("bill", "-480.00", blantvik, "2026-01-31", "2026-02-28")...)
	o.process(0)
	o.wantRecurring("blantvik", nil)
	o.upload(account, payments("more", "-481.01", blantvik, "2026-03-31")...)
	o.process(0)
	monthly := M{"cadence": "monthly", "averageAmount": json.Number("-480.34"), "nextExpectedDate": "2026-04-30"}
	o.wantRecurring("blantvik", monthly)

	euro := payments("euro", "-9.00", blantvik, "2026-03-09", "2026-03-16", "2026-03-23")
	for _, row := range euro {
		row["currency"] = "EUR"
	}
	o.upload(account, euro...)
	o.process(0)
	// EUR stands first
	o.wantRecurring("blantvik", M{"cadence": "weekly", "averageAmount": json.Number("-9.00"),
		"nextExpectedDate": "2026-03-30"})
	o.counterparties().want(200).wantAt(monthly, "counterparties", 0, "stats", 1, "recurring")

	o.delete(o.path + "/transactions/" +
		o.scalar(`SELECT id FROM transactions WHERE organization_id = $1 AND external_id = 'euro1'`,
			o.organization)).want(200)
	o.wantRecurring("blantvik", nil)
}

// A rhythm is over where later rows show it, not because time passes without uploads.
func TestARhythmIsOverWhereLaterRowsShowIt(t *testing.T) {
	t.Parallel()
	o, account := openToday(t, "2026-12-24")
	o.upload(account, payments("bill", "-480.00", blantvik, "2026-01-31", "2026-02-28", "2026-03-31")...)
	o.process(0)
	monthly := M{"cadence": "monthly", "averageAmount": json.Number("-480.00"), "nextExpectedDate": "2026-04-30"}
	o.wantRecurring("blantvik", monthly)
	// the latter is of the future
	o.upload(account, payments("other", "-20.00", "SHELL OIL 57444212300 AUSTIN TX", "2026-05-30", "2027-01-01")...)
	o.process(0)
	o.wantRecurring("blantvik", monthly)
	o.upload(account, payments("later", "-20.00", "SHELL OIL 57444212300 AUSTIN TX", "2026-05-31")...)
	o.process(0)
	o.wantRecurring("blantvik", nil)
}

// Lists read the newest rows of each counterparty alone; a day of which they may not hold all is left out.
func TestARhythmOfManyRowsIsExact(t *testing.T) {
	t.Parallel()
	o, account := openToday(t, "2026-12-24")
	id := o.saveCounterparty(store.Counterparty{Name: "Payroll", Type: "company", Relationship: "payroll",
		LastDate: on("2026-10-30")})
	friday := on("2026-05-15")
	for i := range 13 { // 13 pay days of 8 people
		var rows []M
		for person := range 8 {
			rows = append(rows, transaction(fmt.Sprint(i, "-", person), fmt.Sprint(-100-person),
				friday.AddDate(0, 0, 14*i).Format(time.DateOnly), "PAY"))
		}
		o.upload(account, rows...)
	}
	o.exec(`UPDATE transactions SET counterparty_id = $2 WHERE organization_id = $1`, o.organization, id)
	o.wantRecurring("payroll", M{"cadence": "biweekly", "averageAmount": json.Number("-828.00"),
		"nextExpectedDate": "2026-11-13"})
}
