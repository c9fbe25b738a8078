package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	client "bizfin.example/client"
	"bizfin/cmd/bizfin/demo"
	"bizfin/cmd/bizfin/terminal"
	"bizfin/internal/bankfile"
	"bizfin/internal/money"
)

// importOptions are what is asked for; the file's own word counts where one is empty.
type importOptions struct {
	bankfile.Options
	accessOptions
	account, kind, currency, balance, alike string
	dryRun                                  bool
}

func importCommand() *cobra.Command {
	var o importOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Upload a bank's file (CSV, OFX, QFX) and show the profit and loss",
		Long: `Upload what a bank or payment processor lets its customers download, over the
public API, wait until it is understood, and show the profit and loss.

Columns, dates and signs are guessed, and what was guessed is shown; what two
readings fit is asked for. --dry-run shows it and uploads nothing. A file that
overlaps an earlier one adds only what is new: rows have the bank's own ids, or
ids made of what they say. Rows that look like ones that are there under other
ids (of a CSV and an OFX file of one account) are never added unasked: see
--alike. Pending rows are left out; a later file has them.

It uses the API of "make run" in this folder, with a business of its own, or the
one of --url with an access token in BIZFIN_TOKEN and --organization.`,
		Example: `  bizfin import statement.csv --account Checking --dry-run
  bizfin import statement.csv --account Checking --balance 1200.50
  bizfin import card.csv --account Card --type credit --charges positive --dates mdy --balance 0
  bizfin import odd.csv --account Checking --map date=1,description=3+4,amount=5
  bizfin import download.qfx`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			screen := terminal.On(cmd.OutOrStdout())
			if asJSON {
				screen = terminal.On(io.Discard)
			}
			done, err := importFile(cmd.Context(), args[0], o, screen)
			if err != nil || !asJSON {
				return err
			}
			return printJSON(cmd.OutOrStdout(), done)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.account, "account", "",
		"the account's name, the same for each of its files (OFX files name theirs)")
	flags.StringVar(&o.kind, "type", "", "of the account: depository, credit, loan, investment, brokerage or other")
	flags.StringVar(&o.currency, "currency", "USD", "of the account, where the file does not say")
	flags.StringVar(&o.balance, "balance", "",
		"what the account holds now, where the file does not say; a debt is negative")
	flags.StringToStringVar(&o.Columns, "map", nil,
		"columns by name or number, such as date=1,amount=\"Net amount\"; roles: "+
			strings.Join(bankfile.Roles, ", "))
	flags.StringVar(&o.DateOrder, "dates", "", "how dates are written: mdy, dmy or ymd")
	flags.StringVar(&o.Charges, "charges", "", "how money that leaves is written: positive or negative")
	flags.StringVar(&o.Decimal, "decimal", "", "what decimals follow: point or comma")
	flags.IntVar(&o.HeaderLine, "header", 0, "the line of the column names (default the first that has them)")
	flags.StringVar(&o.alike, "alike", "",
		"what to do with rows that look like ones that are there under other ids: skip or add (default stop)")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show what would be uploaded")
	o.addFlags(cmd)
	addJSONFlag(cmd, &asJSON)
	for name, words := range choices {
		_ = cmd.RegisterFlagCompletionFunc(name, completeWords(words...))
	}
	return cmd
}

// choices are the flags that take certain words alone.
var choices = map[string][]string{
	"dates":   {"mdy", "dmy", "ymd"},
	"charges": {"positive", "negative"},
	"decimal": {"point", "comma"},
	"alike":   {"skip", "add"},
	"type":    {"depository", "credit", "loan", "investment", "brokerage", "other"},
}

func (o importOptions) check() error {
	given := map[string]string{"dates": o.DateOrder, "charges": o.Charges, "decimal": o.Decimal, "type": o.kind,
		"alike": o.alike}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name] != "" && !slices.Contains(choices[name], given[name]) {
			return fmt.Errorf("--%s must be one of %s", name, strings.Join(choices[name], ", "))
		}
	}
	if !regexp.MustCompile(`^[A-Z]{3}$`).MatchString(o.currency) {
		return errors.New("--currency must be three capital letters, such as USD")
	}
	if o.balance != "" {
		if _, err := money.Parse(o.balance); err != nil {
			return errors.New("--balance must be an amount such as 1200.50")
		}
	}
	return nil
}

// imported is what `bizfin import --json` prints.
type imported struct {
	OrganizationID *uuid.UUID        `json:"organization_id"` // null after a dry run
	Format         string            `json:"format"`
	Style          string            `json:"style"`
	Guesses        []string          `json:"guesses"`
	Accounts       []importedAccount `json:"accounts"`
	New            *int64            `json:"new"` // rows that were not there before
	PnL            *client.PnlReport `json:"pnl"`
}

const mostOfAFile = 64 << 20

func importFile(ctx context.Context, path string, o importOptions, screen *terminal.Screen) (*imported, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	file, err := readBankFile(ctx, path, o)
	if err != nil {
		return nil, err
	}
	done, err := planOf(file, o)
	if err != nil {
		return nil, err
	}
	showPlan(screen, path, done)
	if o.dryRun {
		return done, nil
	}
	api, err := o.dial(ctx)
	if err != nil {
		return nil, err
	}
	done.OrganizationID = &api.organization
	stored, err := api.accounts(ctx)
	if err != nil {
		return nil, err
	}
	joinNamed(done.Accounts, stored, o.account)
	if err := settleBalances(done.Accounts, stored, o.balance); err != nil {
		return nil, err
	}
	if err := api.settleAlike(ctx, screen, done.Accounts, stored, o.alike); err != nil {
		return nil, err
	}
	if err := api.bring(ctx, screen, done); err != nil {
		return nil, err
	}
	days := span{done.Accounts[0].From, done.Accounts[0].To}
	for _, a := range done.Accounts {
		days = span{min(days.from, a.From), max(days.to, a.To)}
	}
	if done.PnL, err = api.pnl(ctx, days); err != nil {
		return nil, err
	}
	showPnL(screen, done.PnL)
	showLeftOut(screen, done.PnL.Basis)
	return done, nil
}

// readBankFile reads regular files alone: a device or a pipe may never end. An interrupt ends it at once.
func readBankFile(ctx context.Context, path string, o importOptions) (bankfile.File, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostOfAFile {
		return bankfile.File{}, fmt.Errorf("%s is no regular file of at most 64 MiB", path)
	}
	type outcome struct {
		file bankfile.File
		err  error
	}
	read := make(chan outcome, 1)
	go func() {
		opened, err := os.Open(path)
		if err != nil {
			read <- outcome{err: fmt.Errorf("%s cannot be read", path)}
			return
		}
		defer func() { _ = opened.Close() }()
		raw, err := io.ReadAll(io.LimitReader(opened, mostOfAFile)) // it may grow meanwhile
		if err != nil {
			read <- outcome{err: fmt.Errorf("%s cannot be read", path)}
			return
		}
		asked := o.Options
		asked.Type, asked.Today = o.kind, clock()
		file, err := bankfile.Read(raw, asked)
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
		read <- outcome{file, err}
	}()
	select {
	case <-ctx.Done():
		return bankfile.File{}, ctx.Err()
	case done := <-read:
		return done.file, cmp.Or(ctx.Err(), done.err)
	}
}

// planOf says which accounts the rows are of.
func planOf(file bankfile.File, o importOptions) (*imported, error) {
	done := &imported{Format: file.Format, Style: file.Style, Guesses: file.Guesses}
	oneOnly := map[string]bool{"PayPal": true, "Square": true, "Stripe balance": true, "Stripe payouts": true}
	for _, from := range file.Accounts {
		if len(from.Rows) == 0 {
			continue
		}
		a := importedAccount{Type: cmp.Or(o.kind, from.Type), Currency: cmp.Or(from.Currency, o.currency),
			Rows: len(from.Rows), balance: from.Balance, Skipped: []skippedLine{}}
		switch {
		case o.account != "" && len(file.Accounts) > 1:
			return nil, errors.New("the file has several accounts, which it names itself; leave --account out")
		case o.account != "":
			a.Name = o.account
		case from.ID != "":
			last := []rune(from.ID)
			a.Name = strings.TrimSpace(file.Style + " …" + string(last[max(0, len(last)-4):]))
		case oneOnly[file.Style]:
			a.Name = file.Style
		default:
			return nil,
				errors.New("the file does not say which account it is of\n  Say its name, the same for each of " +
					"its files: --account Checking")
		}
		if a.Type == "" {
			a.Type = "depository"
		}
		// Of the bank's number nothing but a fingerprint is uploaded.
		identity := sha256.Sum256([]byte(cmp.Or(from.ID, strings.ToLower(strings.TrimSpace(a.Name)))))
		a.ExternalID = "file-" + hex.EncodeToString(identity[:8])
		for _, s := range from.Skipped {
			a.Skipped = append(a.Skipped, skippedLine{s.Line, s.Why})
		}
		first, last := from.Rows[0].Day, from.Rows[0].Day
		for _, r := range from.Rows {
			row := demo.Row{ExternalID: a.ExternalID + "-" + r.ID, Day: r.Day, Amount: r.Amount,
				Currency: cmp.Or(r.Currency, a.Currency), Description: r.Description}
			if len(row.Currency) != 3 {
				return nil, fmt.Errorf("line %d: %q is not a currency", r.Line, row.Currency)
			}
			a.rows = append(a.rows, row)
			if r.Day.Before(first) {
				first = r.Day
			}
			if r.Day.After(last) {
				last = r.Day
			}
		}
		a.Sums = sumsOf(a.rows)
		a.From, a.To = first.Format(time.DateOnly), last.Format(time.DateOnly)
		done.Accounts = append(done.Accounts, a)
	}
	return done, nil
}

// sumsOf adds up the amounts of each currency.
func sumsOf(rows []demo.Row) []currencySum {
	of := map[string]currencySum{}
	for _, r := range rows {
		sum := of[r.Currency]
		sum.Currency = r.Currency
		sum.Rows++
		if r.Amount > 0 {
			sum.In = sum.In.Plus(money.TotalOf(r.Amount))
		} else {
			sum.Out = sum.Out.Minus(money.TotalOf(r.Amount))
		}
		of[r.Currency] = sum
	}
	return slices.SortedFunc(maps.Values(of), func(a, b currencySum) int { return cmp.Compare(a.Currency, b.Currency) })
}

func showPlan(screen *terminal.Screen, path string, done *imported) {
	screen.Heading(path, strings.TrimSpace(done.Style+" "+done.Format))
	for _, guess := range done.Guesses {
		screen.Line("  %s", screen.Paint(terminal.Faint, guess))
	}
	for _, a := range done.Accounts {
		said := fmt.Sprintf("%s, %s to %s: %s rows", a.Type, a.From, a.To, terminal.Count(a.Rows))
		for _, sum := range a.Sums {
			said += fmt.Sprintf(", %s in, %s out", terminal.Money(sum.In), terminal.Money(sum.Out))
			if len(a.Sums) > 1 {
				said += " in " + sum.Currency
			}
		}
		screen.Heading(a.Name, said)
		const most = 5
		t := screen.NewTable("day", ">amount", "", "description")
		for _, r := range a.rows[:min(most, len(a.rows))] {
			t.AppendRow(table.Row{r.Day.Format(time.DateOnly), terminal.Money(money.TotalOf(r.Amount)),
				screen.Paint(terminal.Faint, r.Currency), terminal.Cut(r.Description, 40)})
		}
		screen.Table(t)
		if more := len(a.rows) - most; more > 0 {
			screen.Line("%s", screen.Paint(terminal.Faint, fmt.Sprintf("  and %s more", terminal.Count(more))))
		}
		reasons := map[string][]string{}
		for _, s := range a.Skipped {
			reasons[s.Why] = append(reasons[s.Why], strconv.Itoa(s.Line))
		}
		for _, why := range slices.Sorted(maps.Keys(reasons)) {
			lines := reasons[why]
			screen.Line("  %s", screen.Paint(terminal.Warn, fmt.Sprintf("left out: %s (%s): %s",
				counted(len(lines), "line"), why, strings.Join(lines, ", "))))
		}
	}
	screen.Line("")
}

// settleBalances finds the balance of each account: the file's, what was asked for, or the one that is stored. It makes
// none up.
func settleBalances(accounts []importedAccount, stored map[string]client.Account, asked string) error {
	for i := range accounts {
		a := &accounts[i]
		if asked != "" && len(accounts) == 1 {
			balance, _ := money.Parse(asked) // was checked
			a.balance = &balance
		}
		if known, ok := stored[a.ExternalID]; ok {
			a.stored = true
			a.Currency = known.Currency
			if balance, err := money.Parse(known.CurrentBalance.String()); a.balance == nil && err == nil {
				a.balance = &balance
			}
		}
		if a.balance == nil {
			return fmt.Errorf("the file does not say what %s holds\n  Say what the bank shows now: --balance 1200.50 "+
				"(no report needs it)", a.Name)
		}
	}
	return nil
}

// accounts are those of the API source by their external ids, inactive ones too.
func (api *bookAPI) accounts(ctx context.Context) (map[string]client.Account, error) {
	found, everything := map[string]client.Account{}, true
	for cursor := (*string)(nil); ; {
		r, err := api.ListAccountsWithResponse(ctx, api.organization, &client.ListAccountsParams{Cursor: cursor,
			IncludeInactive: &everything})
		page, err := ok(api, "list the accounts", r, err)
		if err != nil {
			return nil, err
		}
		for _, a := range page.Accounts {
			if a.SourceId == api.source {
				found[a.ExternalId] = a
			}
		}
		if cursor = page.NextCursor; cursor == nil {
			return found, nil
		}
	}
}

// bring uploads the rows and waits until they are understood.
func (api *bookAPI) bring(ctx context.Context, screen *terminal.Screen, done *imported) error {
	before, err := api.profile(ctx)
	if err != nil {
		return err
	}
	shown := &shownDemo{}
	for _, a := range done.Accounts {
		if len(a.rows) == 0 && !a.stored {
			continue // all of it is there, in another account
		}
		shown.accounts = append(shown.accounts, demo.Account{ExternalID: a.ExternalID, Name: a.Name, Type: a.Type,
			Currency: a.Currency, Balance: *a.balance, Rows: a.rows})
	}
	if len(shown.accounts) > 0 {
		if err := uploadDemo(ctx, api, screen, shown); err != nil {
			return err
		}
	}
	progress := screen.Begin("Processed", time.Now())
	defer progress.Abandon()
	after, err := api.processed(ctx, progress.Show)
	if err != nil {
		return err
	}
	added := after.Coverage.Transactions.Total - before.Coverage.Transactions.Total
	done.New = &added
	progress.End(time.Now(), "%s of them new", terminal.Count(added))
	return nil
}

// showLeftOut says what a report does not have in its figures.
func showLeftOut(screen *terminal.Screen, b client.ReportBasis) {
	var parts []string
	if u := b.Uncategorized; u.TransactionCount > 0 {
		parts = append(parts, fmt.Sprintf("%d rows that are not understood yet (in %s, out %s)", u.TransactionCount,
			terminal.Money(total(u.Inflow)), terminal.Money(total(u.Outflow))))
	}
	for _, c := range b.OtherCurrencies {
		parts = append(parts, fmt.Sprintf("%d rows in %s (in %s, out %s)", c.TransactionCount, c.Currency,
			terminal.Money(total(c.Inflow)), terminal.Money(total(c.Outflow))))
	}
	if p := b.PendingExcluded; p.TransactionCount > 0 {
		parts = append(parts, fmt.Sprintf("%d pending rows", p.TransactionCount))
	}
	if len(parts) > 0 {
		screen.Line("")
		screen.Paragraph(terminal.Faint, "Not in these figures: "+strings.Join(parts, "; ")+".")
	}
	if b.OpenIssues > 0 {
		screen.Paragraph(terminal.Faint, fmt.Sprintf("%d questions are open; the answers change the figures.",
			b.OpenIssues))
	}
}
