package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/demo"
	"bizfin/cmd/bizfin/terminal"
)

func demoCommand() *cobra.Command {
	var o demoOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show a year of a made-up business, from its upload to its reports",
		Long: `Show what a partner's program does, against the API that "make run" runs in this
folder.

It connects ` + demo.Name + `, a letterpress studio, uploads a year of its four
accounts through the generated Go client, waits until everything is understood,
lists the questions, answers one, and prints the reports.

The same seed and year always make the same rows, so a second run changes
nothing; another --seed, --year or --business makes a business of its own.`,
		Example: `  bizfin demo
  bizfin demo --seed 7 --year 2024
  bizfin demo --json | jq .pnl.totals`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			screen := terminal.On(cmd.OutOrStdout())
			if asJSON {
				screen = terminal.On(io.Discard)
			}
			shown, err := showDemo(cmd.Context(), o, screen)
			if err != nil || !asJSON {
				return err
			}
			return printJSON(cmd.OutOrStdout(), shown)
		},
	}
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "which of the made-up businesses")
	cmd.Flags().IntVar(&o.year, "year", time.Now().UTC().Year()-1, "the calendar year of its rows")
	cmd.Flags().StringVar(&o.business, "business", "", "the partner's id of the business (default juniper-YEAR-SEED)")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

type demoOptions struct {
	seed     uint64
	year     int
	business string
}

func showDemo(ctx context.Context, o demoOptions, screen *terminal.Screen) (*shownDemo, error) {
	const first, last = 1970, 2200
	if o.year < first || o.year > last {
		return nil, fmt.Errorf("--year must be from %d to %d", first, last)
	}
	if utf8.RuneCountInString(o.business) > 200 {
		return nil, errors.New("--business must have at most 200 characters")
	}
	dev, err := readDevFile(devFolder)
	if err != nil {
		return nil, noServer(err)
	}
	shown := &shownDemo{BusinessID: cmp.Or(o.business, fmt.Sprintf("juniper-%d-%d", o.year, o.seed)), year: o.year,
		accounts: demo.Year(o.seed, o.year)}
	screen.Heading(demo.Name, fmt.Sprintf("a letterpress studio with a shop, in %d (seed %d)", o.year, o.seed))
	api, err := dialDemo(dev, shown.BusinessID)
	if err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context, *bookAPI, *terminal.Screen, *shownDemo) error{
		connectDemo, uploadDemo, processDemo, askDemo, answerDemo,
	} {
		if err := step(ctx, api, screen, shown); err != nil {
			return nil, err
		}
	}
	if shown.CashFlow, err = api.cashFlow(ctx, spanOfYear(o.year)); err != nil {
		return nil, err
	}
	showPnL(screen, shown.PnL)
	showCashFlow(screen, shown.CashFlow)
	showBridge(screen, shown)
	showBasis(screen, shown)
	showNext(screen, dev, shown)
	return shown, nil
}

func connectDemo(ctx context.Context, api *bookAPI, screen *terminal.Screen, shown *shownDemo) (err error) {
	progress := screen.Begin("Connected", time.Now())
	if shown.OrganizationID, err = api.connect(ctx); err != nil {
		return err
	}
	progress.End(time.Now(), "organization %s", shown.OrganizationID)
	return nil
}

// uploadDemo sends the accounts and then each account's rows, batch after batch, as the contract asks.
func uploadDemo(ctx context.Context, api *bookAPI, screen *terminal.Screen, shown *shownDemo) error {
	progress := screen.Begin("Uploaded", time.Now())
	defer progress.Abandon()
	ids, err := api.uploadAccounts(ctx, shown.accounts)
	if err != nil {
		return err
	}
	var done, all int64
	for _, account := range shown.accounts {
		all += int64(len(account.Rows))
	}
	for _, account := range shown.accounts {
		for rows := account.Rows; len(rows) > 0; {
			batch := rows[:min(len(rows), uploadBatch)]
			rows = rows[len(batch):]
			if err := api.uploadRows(ctx, ids[account.ExternalID], batch); err != nil {
				return err
			}
			done += int64(len(batch))
			progress.Show(done, all)
		}
	}
	progress.End(time.Now(), "%s transactions in %d accounts", terminal.Count(all), len(shown.accounts))
	return nil
}

func processDemo(ctx context.Context, api *bookAPI, screen *terminal.Screen, shown *shownDemo) (err error) {
	progress := screen.Begin("Processed", time.Now())
	defer progress.Abandon()
	if shown.Profile, err = api.processed(ctx, progress.Show); err != nil {
		return err
	}
	counts := shown.Profile.Coverage.Transactions
	progress.End(time.Now(), "%s transactions, %s counterparties found", terminal.Count(counts.Total),
		terminal.Count(shown.Profile.Coverage.Counterparties))
	showAccounts(screen, shown)
	return nil
}

func askDemo(ctx context.Context, api *bookAPI, screen *terminal.Screen, shown *shownDemo) (err error) {
	if shown.Questions, shown.Waiting, err = api.questions(ctx); err != nil {
		return err
	}
	showQuestions(screen, shown)
	return nil
}

// answerDemo answers what the owner knows, waits until all rows of the question follow, and reads the profit and loss
// before and after it.
func answerDemo(ctx context.Context, api *bookAPI, screen *terminal.Screen, shown *shownDemo) (err error) {
	if shown.PnL, err = api.pnl(ctx, spanOfYear(shown.year)); err != nil {
		return err
	}
	before := shown.PnL.Totals.CostOfGoodsSold
	if shown.Answered, err = api.answer(ctx, shown.Questions, demo.Answer); err != nil {
		return err
	}
	if shown.Profile, err = api.processed(ctx, func(int64, int64) {}); err != nil {
		return err
	}
	if shown.Answered.Followed, err = api.following(ctx, demo.Answer); err != nil {
		return err
	}
	if shown.PnL, err = api.pnl(ctx, spanOfYear(shown.year)); err != nil {
		return err
	}
	shown.Answered.GoodsBefore, shown.Answered.GoodsAfter = before, shown.PnL.Totals.CostOfGoodsSold
	showAnswer(screen, shown)
	return nil
}
