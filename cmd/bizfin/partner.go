package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"bizfin/internal/seal"
	"bizfin/server"
	"bizfin/store"
)

func partnerCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "partner", Short: "Administer partners and their secrets"}
	cmd.AddCommand(partnerCreateCommand(), partnerListCommand(), partnerRotateCommand(), partnerDisableCommand())
	return cmd
}

// partnerSecrets is what a partner is told once, when it is created.
type partnerSecrets struct {
	PartnerID     string `json:"partner_id"`
	PartnerSecret string `json:"partner_secret"`
	WebhookURL    string `json:"webhook_url"`
	WebhookSecret string `json:"webhook_secret"`
}

func partnerCreateCommand() *cobra.Command {
	var name string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "create ID",
		Short: "Create a partner and print its secrets",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, db, err := openStore(cmd.ErrOrStderr(), needKeys, needPublicURL)
			if err != nil {
				return err
			}
			defer db.Close()
			created, err := createPartner(cmd.Context(), db, s.keys, args[0], name, s.PublicURL)
			if errors.Is(err, store.ErrPartnerExists) {
				return fmt.Errorf("partner %q exists already; see: bizfin partner rotate", args[0])
			}
			if err != nil {
				return err
			}
			return printSecrets(cmd.OutOrStdout(), created, asJSON)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "the partner's name (default its id)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func createPartner(ctx context.Context, db *store.DB, keys seal.Keyring, id, name, publicURL string) (partnerSecrets, error) {
	if len(id) == 0 || len([]rune(id)) > 200 {
		return partnerSecrets{}, errors.New("a partner id has 1 to 200 characters")
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
	return store.SealedSecret{Purpose: purpose, Sealed: keys.Seal([]byte(secret), server.SecretContext(partnerID, purpose))}
}

func printSecrets(w io.Writer, created partnerSecrets, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(created)
	}
	_, err := fmt.Fprintf(w, "partner_id      %s\npartner_secret  %s\nwebhook_url     %s\nwebhook_secret  %s\n\nKeep the secrets: they are not shown again.\n",
		created.PartnerID, created.PartnerSecret, created.WebhookURL, created.WebhookSecret)
	return err
}

func partnerListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List partners",
		Args:  cobra.NoArgs,
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
			for _, p := range partners {
				state := "active"
				if p.DisabledAt != nil {
					state = "disabled"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%-24s %-9s %s\n", p.ID, state, p.Name)
			}
			return nil
		},
	}
}

func partnerRotateCommand() *cobra.Command {
	var webhook, finish bool
	cmd := &cobra.Command{
		Use:   "rotate ID",
		Short: "Give a partner a new secret beside the present one, or end that with --finish",
		Args:  cobra.ExactArgs(1),
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
				fmt.Fprintf(cmd.OutOrStdout(), "%d older secrets retired; the newest is valid\n", retired)
				return nil
			}
			secret := newSecret()
			if err := db.RotateSecret(cmd.Context(), time.Now(), args[0], sealSecret(s.keys, args[0], purpose, secret)); err != nil {
				return unknownPartner(err, args[0])
			}
			fmt.Fprintln(cmd.OutOrStdout(), secret)
			fmt.Fprintln(cmd.ErrOrStderr(), "The present secret stays valid too, until: bizfin partner rotate "+args[0]+" --finish")
			return nil
		},
	}
	cmd.Flags().BoolVar(&webhook, "webhook", false, "the webhook secret instead of the token secret")
	cmd.Flags().BoolVar(&finish, "finish", false, "retire all but the newest secret")
	return cmd
}

func partnerDisableCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "disable ID",
		Short: "Refuse a partner's tokens and webhooks from now on",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			return unknownPartner(db.DisablePartner(cmd.Context(), time.Now(), args[0]), args[0])
		},
	}
}

func unknownPartner(err error, id string) error {
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no partner %q", id)
	}
	return err
}
