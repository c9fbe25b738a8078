package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"bizfin/server/oauth"
	"bizfin/store"
)

func userCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "Administer people"}
	var off bool
	demo := &cobra.Command{
		Use:   "demo ID",
		Short: "Make a person a demo person, who reads but never changes data",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := personID(args[0])
			if err != nil {
				return err
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			return unknownPerson(db.SetDemo(cmd.Context(), id, !off), id)
		},
	}
	demo.Flags().BoolVar(&off, "off", false, "make them an ordinary person again")
	cmd.AddCommand(demo, userLinkCommand())
	return cmd
}

func userLinkCommand() *cobra.Command {
	var issuer, subject string
	var off bool
	cmd := &cobra.Command{
		Use:   "link ID",
		Short: "Let the access tokens of an OAuth issuer's subject act as a person",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := personID(args[0])
			if err != nil {
				return err
			}
			if issuer == "" || subject == "" {
				return errors.New("--issuer and --subject must be the iss and sub of the tokens")
			}
			s, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			if off {
				err = db.UnlinkOAuthIdentity(cmd.Context(), issuer, subject, id)
				if errors.Is(err, store.ErrNotFound) {
					return fmt.Errorf("subject %q of %s is not linked to person %s", subject, issuer, id)
				}
				return err
			}
			err = db.LinkOAuthIdentity(cmd.Context(), time.Now(), issuer, subject, id)
			if errors.Is(err, store.ErrIdentityLinked) {
				return fmt.Errorf("subject %q of %s is linked to another person; unlink it there first with --off", subject, issuer)
			}
			if err == nil && !slices.ContainsFunc(s.issuers, func(i oauth.Issuer) bool { return i.URL == issuer }) {
				fmt.Fprintf(cmd.ErrOrStderr(), "bizfin: linked; %s is not in BIZFIN_OAUTH_ISSUERS here, and a server takes its tokens only where it is\n", issuer)
			}
			return unknownPerson(err, id)
		},
	}
	cmd.Flags().StringVar(&issuer, "issuer", "", "the issuer, exactly as in the iss of its tokens")
	cmd.Flags().StringVar(&subject, "subject", "", "the person at the issuer, the sub of its tokens")
	cmd.Flags().BoolVar(&off, "off", false, "end the link instead; its tokens stop working at once")
	return cmd
}

func personID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, fmt.Errorf("%q is not a user_id", text)
	}
	return id, nil
}

func unknownPerson(err error, id uuid.UUID) error {
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no person %s", id)
	}
	return err
}
