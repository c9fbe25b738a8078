package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/internal/seal"
	"bizfin/server"
	"bizfin/store"
)

func partnerCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:     "partner",
		Short:   "Administer partners and their secrets",
		Example: "  bizfin partner create acme --name \"Acme Payments\"\n  bizfin partner list",
	}, partnerCreateCommand(), partnerListCommand(), partnerShowCommand(), partnerSetCommand(), partnerRotateCommand(),
		partnerDisableCommand(), partnerLimitsCommand(), partnerEraseCommand())
}

// partnerSecrets is what a partner is told once, when it is created.
type partnerSecrets struct {
	PartnerID     string `json:"partner_id"`
	PartnerSecret string `json:"partner_secret"`
	WebhookURL    string `json:"webhook_url"`
	WebhookSecret string `json:"webhook_secret"`
}

func partnerCreateCommand() *cobra.Command {
	var name, signInURL string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "create ID",
		Short: "Create a partner and print its secrets",
		Example: `  bizfin partner create acme --name "Acme Payments"
  bizfin partner create acme --json > acme.json`,
		Args: arguments("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkSignInURL(signInURL); err != nil {
				return err
			}
			s, db, err := openStore(cmd.ErrOrStderr(), needKeys, needPublicURL)
			if err != nil {
				return err
			}
			defer db.Close()
			created, err := createPartner(cmd.Context(), db, s.keys, args[0], name, s.PublicURL)
			if errors.Is(err, store.ErrPartnerExists) {
				return fmt.Errorf("partner %q exists already\n  A new secret for it: bizfin partner rotate %s", args[0],
					args[0])
			}
			if err == nil && signInURL != "" {
				err = db.SetSignIn(cmd.Context(), time.Now(), args[0], signInURL)
			}
			if err != nil {
				return err
			}
			return printSecrets(cmd.OutOrStdout(), created, asJSON)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "the partner's name (default its id)")
	cmd.Flags().StringVar(&signInURL, "sign-in-url", "", "where it signs people in that come from an agent")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// partnerID is what every client and gateway sends as it is, in X-Service-Partner and in the webhook's path.
var partnerID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~@:+-]{0,199}$`)

func createPartner(ctx context.Context, db *store.DB, keys seal.Keyring, id, name,
	publicURL string) (partnerSecrets, error) {
	if !partnerID.MatchString(id) {
		return partnerSecrets{},
			errors.New("a partner id has 1 to 200 of the characters A-Z a-z 0-9 . _ ~ @ : + - and " +
				"begins with a letter or digit: it stands in a header and in an address")
	}
	if utf8.RuneCountInString(name) > 200 || strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) {
		return partnerSecrets{}, errors.New("--name must have at most 200 characters, all of them printable")
	}
	if name == "" {
		name = id
	}
	created := partnerSecrets{
		PartnerID: id, PartnerSecret: newSecret(), WebhookURL: webhookURL(publicURL, id), WebhookSecret: newSecret(),
	}
	err := db.CreatePartner(ctx, time.Now(), id, name, []store.SealedSecret{
		sealSecret(keys, id, store.PurposeToken, created.PartnerSecret),
		sealSecret(keys, id, store.PurposeWebhook, created.WebhookSecret),
	})
	return created, err
}

func webhookURL(publicURL, partnerID string) string {
	return publicURL + "/webhooks/" + url.PathEscape(partnerID) + "/accounts"
}

// newSecret makes 32 random bytes in a form that fits into settings and shells. Its text is the key of the HMAC.
func newSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}

func sealSecret(keys seal.Keyring, partnerID, purpose, secret string) store.SealedSecret {
	return store.SealedSecret{Purpose: purpose,
		Sealed: keys.Seal([]byte(secret), server.SecretContext(partnerID, purpose))}
}

func printSecrets(w io.Writer, created partnerSecrets, asJSON bool) error {
	if asJSON {
		return printJSON(w, created)
	}
	_, err := fmt.Fprintf(w, "partner_id      %s\npartner_secret  %s\nwebhook_url     %s\nwebhook_secret  %s\n\nKeep "+
		"the secrets: they are not shown again.\n",
		created.PartnerID, created.PartnerSecret, created.WebhookURL, created.WebhookSecret)
	return err
}

func partnerListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List partners",
		Example: "  bizfin partner list\n  bizfin partner list --json | jq -r '.partners[].partner_id'",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			partners, err := db.ListPartners(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"partners": listed(partners)})
			}
			if len(partners) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "There is no partner yet; make one with: bizfin partner create ID")
				return nil
			}
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable("id", "state", "created", "name")
			for _, p := range listed(partners) {
				t.AppendRow(table.Row{p.ID, p.State, p.CreatedAt.Format(time.DateOnly), p.Name})
			}
			screen.Table(t)
			return nil
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// listedPartner is a partner as the list shows it.
type listedPartner struct {
	ID         string     `json:"partner_id"`
	Name       string     `json:"name"`
	State      string     `json:"state"` // active or disabled
	CreatedAt  time.Time  `json:"created_at"`
	DisabledAt *time.Time `json:"disabled_at"`
	SignInURL  *string    `json:"sign_in_url"`
}

func listed(partners []store.Partner) []listedPartner {
	list := make([]listedPartner, len(partners))
	for i, p := range partners {
		list[i] = listedPartner{ID: p.ID, Name: p.Name, State: "active", CreatedAt: p.CreatedAt.UTC(),
			DisabledAt: p.DisabledAt, SignInURL: p.SignInURL}
		if p.DisabledAt != nil {
			list[i].State = "disabled"
		}
	}
	return list
}

func partnerShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "show ID",
		Short:             "Show a partner: its secrets by their ids, and how much it has",
		Example:           "  bizfin partner show acme",
		Args:              arguments("ID"),
		ValidArgsFunction: completePartners,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			p, err := db.ShowPartner(cmd.Context(), args[0])
			if err != nil {
				return unknownPartner(err, args[0])
			}
			is := listed([]store.Partner{p.Partner})[0]
			if asJSON {
				return printJSON(cmd.OutOrStdout(), struct {
					listedPartner
					Secrets       []store.ShownSecret `json:"secrets"`
					Organizations int64               `json:"organizations"`
					Users         int64               `json:"users"`
				}{is, p.Secrets, p.Organizations, p.People})
			}
			screen := terminal.On(cmd.OutOrStdout())
			t := screen.NewTable("partner", p.ID)
			t.AppendRows([]table.Row{{"name", p.Name}, {"state", is.State}, {"created", moment(&p.CreatedAt)},
				{"businesses", p.Organizations}, {"people", p.People}})
			if p.SignInURL != nil {
				t.AppendRow(table.Row{"sign-in address", *p.SignInURL})
			}
			for _, secret := range p.Secrets {
				state := "valid since " + moment(&secret.CreatedAt)
				if secret.RetiredAt != nil {
					state = "retired " + moment(secret.RetiredAt)
				}
				t.AppendRow(table.Row{"secret for " + secret.Purpose, secret.ID.String() + ", " + state})
			}
			screen.Table(t)
			return nil
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func partnerRotateCommand() *cobra.Command {
	var webhook, finish, asJSON bool
	cmd := &cobra.Command{
		Use:   "rotate ID",
		Short: "Give a partner a new secret beside the present one, or end that with --finish",
		Example: `  bizfin partner rotate acme             # print a new secret; the present one stays valid
  bizfin partner rotate acme --finish    # when the partner uses it: end the older ones`,
		Args:              arguments("ID"),
		ValidArgsFunction: completePartners,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, db, err := openStore(cmd.ErrOrStderr(), needKeys)
			if err != nil {
				return err
			}
			defer db.Close()
			purpose := store.PurposeToken
			if webhook {
				purpose = store.PurposeWebhook
			}
			if finish {
				retired, err := db.RetireOldSecrets(cmd.Context(), time.Now(), args[0], purpose)
				if err != nil {
					return unknownPartner(err, args[0])
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), map[string]any{"partner_id": args[0], "purpose": purpose,
						"retired": retired})
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d older secrets retired; the newest is valid\n", retired)
				return err
			}
			secret := newSecret()
			if err := db.RotateSecret(cmd.Context(), time.Now(), args[0],
				sealSecret(s.keys, args[0], purpose, secret)); err != nil {
				return unknownPartner(err, args[0])
			}
			finishing := ""
			if webhook {
				finishing = " --webhook"
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "The present secret stays valid too, until: bizfin partner rotate "+
				"%s%s --finish\n", args[0], finishing)
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]string{"partner_id": args[0], "purpose": purpose,
					"secret": secret})
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), secret)
			return err
		},
	}
	cmd.Flags().BoolVar(&webhook, "webhook", false, "the webhook secret instead of the token secret")
	cmd.Flags().BoolVar(&finish, "finish", false, "retire all but the newest secret")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func partnerDisableCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "disable ID",
		Short:             "Refuse a partner's tokens and webhooks from now on",
		Example:           "  bizfin partner disable acme",
		Args:              arguments("ID"),
		ValidArgsFunction: completePartners,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			if err := db.DisablePartner(cmd.Context(), time.Now(), args[0]); err != nil {
				return unknownPartner(err, args[0])
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"partner_id": args[0], "state": "disabled"})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "partner %s is disabled; its data stays\n", args[0])
			return err
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}
