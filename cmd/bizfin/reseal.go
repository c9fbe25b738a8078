package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"bizfin/internal/seal"
	"bizfin/server"
)

func resealCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "reseal",
		Short: "Seal all secrets anew with the first key of BIZFIN_SECRET_KEY",
		Long: `Seal all secrets in the database anew with the first key of BIZFIN_SECRET_KEY,
so that the other keys can be taken out of it. It can be run again at any time.`,
		Example: "  BIZFIN_SECRET_KEY=$new,$old bizfin reseal",
		Args:    arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, db, err := openStore(cmd.ErrOrStderr(), needKeys)
			if err != nil {
				return err
			}
			defer db.Close()
			resealed, err := db.Reseal(cmd.Context(), time.Now(), s.keys, server.SecretContext)
			if asJSON && err == nil {
				return printJSON(cmd.OutOrStdout(), map[string]int{"resealed": resealed})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d sealed anew\n", resealed)
			if errors.Is(err, seal.ErrUnknownKey) {
				return errors.New("something is sealed with a key that BIZFIN_SECRET_KEY does not list; add it and " +
					"run this again")
			}
			return err
		},
	}
	addJSONFlag(cmd, &asJSON)
	return cmd
}
