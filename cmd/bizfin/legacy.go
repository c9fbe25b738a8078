package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"bizfin/store"
)

func legacyCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "legacy", Short: "Administer the older embedded flow"}
	cmd.AddCommand(legacyLoginCommand())
	return cmd
}

func legacyLoginCommand() *cobra.Command {
	var login store.LegacyLogin
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Do what a login to the older embedded flow does: give a person a business that webhook snapshots go to",
		Args:  cobra.NoArgs,
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
				return fmt.Errorf("there is no active partner %q", login.PartnerID)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]string{
					"user_id": mapping.PersonID.String(), "organization_id": mapping.OrganizationID.String(),
				})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "user_id          %s\norganization_id  %s\n", mapping.PersonID, mapping.OrganizationID)
			return err
		},
	}
	cmd.Flags().StringVar(&login.PartnerID, "partner", "", "the partner's id")
	cmd.Flags().StringVar(&login.Subject, "sub", "", "the person, by the partner's own stable id")
	cmd.Flags().StringVar(&login.Email, "email", "", "the person's e-mail; the first one known is kept")
	cmd.Flags().StringVar(&login.Name, "name", "", "the person's name, which their business is called by")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	for _, name := range []string{"partner", "sub", "email"} {
		_ = cmd.MarkFlagRequired(name)
	}
	return cmd
}
