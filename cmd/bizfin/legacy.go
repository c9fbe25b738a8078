package main

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"bizfin/store"
)

func legacyCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:     "legacy",
		Short:   "Administer the older embedded flow",
		Example: "  bizfin legacy login --partner acme --sub user-1 --email ana@example.com",
	}, legacyLoginCommand())
}

func legacyLoginCommand() *cobra.Command {
	var login store.LegacyLogin
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Give a person a business for webhook snapshots, as an embedded login does",
		Example: `  bizfin legacy login --partner acme --sub user-1 --email ana@example.com
  bizfin legacy login --partner acme --sub user-1 --email ana@example.com --json | jq -r .organization_id`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			const maxSubject = 255 // as in a token
			if login.Subject == "" || utf8.RuneCountInString(login.Subject) > maxSubject {
				return fmt.Errorf("--sub must have 1 to %d characters", maxSubject)
			}
			if login.Email == "" {
				return errors.New("--email must not be empty")
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			mapping, err := db.LegacyLogin(cmd.Context(), time.Now(), login)
			if errors.Is(err, store.ErrInvalidCredential) {
				return noActivePartner(login.PartnerID)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]string{
					"user_id": mapping.PersonID.String(), "organization_id": mapping.OrganizationID.String(),
				})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "user_id          %s\norganization_id  %s\n", mapping.PersonID,
				mapping.OrganizationID)
			return err
		},
	}
	cmd.Flags().StringVar(&login.PartnerID, "partner", "", "the partner's id")
	cmd.Flags().StringVar(&login.Subject, "sub", "", "the person, by the partner's own stable id")
	cmd.Flags().StringVar(&login.Email, "email", "", "the person's e-mail; the first one known is kept")
	cmd.Flags().StringVar(&login.Name, "name", "", "the person's name, which their business is called by")
	addJSONFlag(cmd, &asJSON)
	_ = cmd.RegisterFlagCompletionFunc("partner", completePartners)
	for _, name := range []string{"partner", "sub", "email"} {
		_ = cmd.MarkFlagRequired(name)
	}
	return cmd
}
