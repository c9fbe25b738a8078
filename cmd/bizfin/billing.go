package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/store"
	"bizfin/worker"
	"bizfin/worker/payments"
)

func billingCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:     "billing",
		Short:   "Administer customers of the payment processor",
		Example: "  bizfin billing sync\n  bizfin billing list --unlinked",
	}, billingSyncCommand(), billingListCommand(), billingLinkCommand())
}

func billingSyncCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Compare all customers with the payment processor now",
		Example: `  bizfin billing sync
  bizfin billing sync --json | jq .differ`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			client := s.payments()
			if client == nil {
				return errors.New("there is no payment processor to ask\n  Set BIZFIN_STRIPE_SECRET_KEY and " +
					"BIZFIN_STRIPE_WEBHOOK_SECRET")
			}
			done, err := worker.SyncBilling(cmd.Context(), worker.Config{Store: db, Payments: client,
				ReconcileEvery: s.StripeInterval, Now: clock, Log: s.logger()})
			if err != nil {
				return refusedByProcessor(err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]int{"listed": done.Listed, "differ": done.Differ,
					"waiting": done.Waiting})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(),
				"%s at the processor, %d not as stored; %d wait to be asked about\n",
				counted(done.Listed, "customer"), done.Differ, done.Waiting)
			return err
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// refusedByProcessor says what to do about a refusal.
func refusedByProcessor(err error) error {
	var refused *payments.Error
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Status == 401 || refused.Status == 403:
		return fmt.Errorf("the payment processor refuses BIZFIN_STRIPE_SECRET_KEY (%w)\n  It must be able to read "+
			"customers and subscriptions", err)
	default:
		return fmt.Errorf("the payment processor does not answer as it should (%w)\n  Try again later", err)
	}
}

// listedCustomer is a customer as the list shows it.
type listedCustomer struct {
	ID       string     `json:"customer"`
	PersonID *uuid.UUID `json:"user_id"`
	Status   string     `json:"status"` // none where there is no subscription
	Plan     *string    `json:"plan"`
	Waiting  bool       `json:"waiting"` // to be asked about
	SyncedAt *time.Time `json:"synced_at"`
}

func billingListCommand() *cobra.Command {
	var unlinked, asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List customers of the payment processor and whose they are",
		Example: "  bizfin billing list --unlinked\n  bizfin billing list --json | jq -r '.customers[].customer'",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			customers, err := db.Customers(cmd.Context(), unlinked)
			if err != nil {
				return err
			}
			list := make([]listedCustomer, len(customers))
			for i, c := range customers {
				list[i] = listedCustomer{ID: c.ID, PersonID: c.PersonID, Status: "none", Waiting: c.Due,
					SyncedAt: c.SyncedAt}
				if c.Subscription != nil {
					list[i].Status, list[i].Plan = c.Subscription.Status, c.Subscription.Plan
				}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"customers": list})
			}
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable("customer", "user_id", "subscription", "synced")
			for _, c := range list {
				person, synced := "nobody yet", "not yet"
				if c.PersonID != nil {
					person = c.PersonID.String()
				}
				if c.SyncedAt != nil {
					synced = c.SyncedAt.UTC().Format(time.DateTime)
				}
				t.AppendRow(table.Row{c.ID, person, c.Status, synced})
			}
			screen.Table(t)
			return nil
		},
	}
	cmd.Flags().BoolVar(&unlinked, "unlinked", false, "those that are nobody's alone")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func billingLinkCommand() *cobra.Command {
	var off, asJSON bool
	cmd := &cobra.Command{
		Use:   "link CUSTOMER [ID]",
		Short: "Say whose a customer of the payment processor is",
		Example: `  bizfin billing link cus_NffrFeUfNV2Hib 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01
  bizfin billing link cus_NffrFeUfNV2Hib --off`,
		Args: func(cmd *cobra.Command, args []string) error {
			if off {
				return arguments("CUSTOMER")(cmd, args)
			}
			return arguments("CUSTOMER", "ID")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			said, shown := fmt.Sprintf("customer %s is nobody's", args[0]), map[string]any{"customer": args[0],
				"user_id": nil}
			if off {
				err = db.UnlinkCustomer(cmd.Context(), time.Now(), args[0])
				if errors.Is(err, store.ErrNotFound) {
					return fmt.Errorf("customer %q is not linked\n  Those there are: bizfin billing list", args[0])
				}
			} else {
				id, wrong := personID(args[1])
				if wrong != nil {
					return wrong
				}
				err = unknownPerson(db.LinkCustomer(cmd.Context(), time.Now(), args[0], id), id)
				if errors.Is(err, store.ErrCustomerLinked) {
					return fmt.Errorf("customer %q is linked to another person; end that first with --off", args[0])
				}
				said = fmt.Sprintf("customer %s is %s; a worker asks the processor about it", args[0], id)
				shown["user_id"] = id
			}
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), shown)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), said)
			return err
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "end the link instead")
	addJSONFlag(cmd, &asJSON)
	return cmd
}
