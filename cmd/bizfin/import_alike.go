package main

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	client "bizfin.example/client"
	"bizfin/cmd/bizfin/demo"
	"bizfin/cmd/bizfin/terminal"
	"bizfin/internal/money"
)

// joinNamed gives a file of --account the account that an earlier file of that name began: an OFX file knows the
// bank's number, a CSV file does not, and both may be of one account.
func joinNamed(accounts []importedAccount, stored map[string]client.Account, asked string) {
	if asked == "" || len(accounts) != 1 {
		return
	}
	a := &accounts[0]
	if _, known := stored[a.ExternalID]; known {
		return
	}
	earlier := ""
	for id, account := range stored {
		if sameName(account.Name, a.Name) && strings.HasPrefix(id, "file-") && (earlier == "" || id < earlier) {
			earlier = id
		}
	}
	if earlier == "" {
		return
	}
	for i := range a.rows {
		a.rows[i].ExternalID = earlier + strings.TrimPrefix(a.rows[i].ExternalID, a.ExternalID)
	}
	a.ExternalID = earlier
}

func sameName(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }

// settleAlike looks for rows of the files that are there already under other ids, and skips or adds them as asked. It
// fails where that was not said. Each stored row stands for one row of the file, so that what happened twice stays so.
func (api *bookAPI) settleAlike(ctx context.Context, screen *terminal.Screen, accounts []importedAccount,
	stored map[string]client.Account, asked string) error {
	for i := range accounts {
		a := &accounts[i]
		found, where := map[string]bool{}, ""
		if len(stored) > 0 {
			there, err := api.rowsBetween(ctx, span{a.From, a.To})
			if err != nil {
				return err
			}
			found, where = alikeIn(*a, stored, there)
		}
		count := len(found)
		a.Alike = &count
		switch {
		case count == 0 || asked == "add":
			continue
		case asked == "":
			return fmt.Errorf("%s of %s in %s look like rows that %s has already, under other ids: adding them would "+
				"count them twice\n  Say what to do: --alike skip (leave them out) or --alike add (they are others)%s",
				terminal.Count(count), counted(a.Rows, "row"), a.Name, where, otherName(a.Name, where))
		}
		var kept []demo.Row
		for _, r := range a.rows {
			if !found[r.ExternalID] {
				kept = append(kept, r)
			}
		}
		a.rows = kept
		screen.Line("  %s", screen.Paint(terminal.Warn, fmt.Sprintf("left out: %s that look like those of %s",
			counted(count, "row"), where)))
	}
	return nil
}

// otherName advises to call an account what it is called already.
func otherName(name, where string) string {
	if sameName(name, where) {
		return ""
	}
	return fmt.Sprintf("\n  Where both are one account, add: --account %q", where)
}

// rowsBetween are the rows of those days by their accounts.
func (api *bookAPI) rowsBetween(ctx context.Context, s span) (map[uuid.UUID][]client.Transaction, error) {
	limit, rows := 50, map[uuid.UUID][]client.Transaction{} // the most of one page
	for cursor := (*string)(nil); ; {
		r, err := api.SearchTransactionsWithResponse(ctx, api.organization,
			&client.SearchTransactionsParams{DateFrom: &s.from, DateTo: &s.to, Limit: &limit, Cursor: cursor})
		page, err := ok(api, "look for rows that are there", r, err)
		if err != nil {
			return nil, err
		}
		for _, row := range page.Transactions {
			rows[row.AccountId] = append(rows[row.AccountId], row)
		}
		if cursor = page.NextCursor; cursor == nil {
			return rows, nil
		}
	}
}

// alikeIn returns the external ids of the rows of a file that its account has under other ids, and the account's name.
// Where its own account has none, another one counts that has most of those that are new, and at least two: the same
// account under another name.
func alikeIn(a importedAccount, stored map[string]client.Account,
	there map[uuid.UUID][]client.Transaction) (alike map[string]bool, where string) {
	fresh, known := a.rows, map[string]bool{}
	if own, ok := stored[a.ExternalID]; ok {
		if alike = alikeRows(a.rows, there[own.Id]); len(alike) > 0 {
			return alike, own.Name
		}
		for _, t := range there[own.Id] {
			known[t.ExternalId] = true
		}
		fresh = nil
		for _, r := range a.rows {
			if !known[r.ExternalID] {
				fresh = append(fresh, r)
			}
		}
	}
	const fewest = 2
	for id, account := range stored {
		found := alikeRows(fresh, there[account.Id])
		if id == a.ExternalID || len(found) < fewest || 2*len(found) <= len(fresh) {
			continue
		}
		if len(found) > len(alike) || len(found) == len(alike) && account.Name < where {
			alike, where = found, account.Name
		}
	}
	return alike, where
}

// dayAndAmount is what two files of one account say alike, whatever they make of the description.
type dayAndAmount struct {
	day, currency string
	amount        money.Amount
}

// alikeRows pairs rows with stored ones of the same day and amount: those whose descriptions say the same, and all
// where more than half of the new rows of the file, and at least three, have a pair.
func alikeRows(rows []demo.Row, there []client.Transaction) map[string]bool {
	byID, free := map[string]bool{}, map[dayAndAmount][]string{}
	own := map[string]bool{}
	for _, r := range rows {
		own[r.ExternalID] = true
	}
	for _, t := range there {
		amount, err := money.Parse(t.Amount.String())
		if own[t.ExternalId] || err != nil {
			byID[t.ExternalId] = true
			continue
		}
		key := dayAndAmount{t.PrimaryDate, t.Currency, amount}
		free[key] = append(free[key], letters(t.Description))
	}
	alike, unsure, fresh := map[string]bool{}, []demo.Row{}, 0
	for _, r := range rows {
		if byID[r.ExternalID] {
			continue
		}
		fresh++
		key := keyOf(r)
		if i := sameWords(free[key], letters(r.Description)); i >= 0 {
			alike[r.ExternalID] = true
			free[key] = append(free[key][:i:i], free[key][i+1:]...)
		} else {
			unsure = append(unsure, r)
		}
	}
	var paired []string
	for _, r := range unsure {
		if key := keyOf(r); len(free[key]) > 0 {
			paired = append(paired, r.ExternalID)
			free[key] = free[key][1:]
		}
	}
	const fewest = 3
	if all := len(alike) + len(paired); all >= fewest && 2*all > fresh {
		for _, id := range paired {
			alike[id] = true
		}
	}
	return alike
}

func keyOf(r demo.Row) dayAndAmount {
	return dayAndAmount{r.Day.Format(time.DateOnly), r.Currency, r.Amount}
}

// sameWords finds a description that has the other's words or is in them: OFX cuts names after 32 characters.
func sameWords(descriptions []string, wanted string) int {
	for i, d := range descriptions {
		if strings.Contains(d, wanted) || strings.Contains(wanted, d) {
			return i
		}
	}
	return -1
}

func letters(description string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, description)
}
