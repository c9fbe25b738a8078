package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"bizfin/internal/seal"
	"bizfin/server"
)

func resealCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reseal",
		Short: "Seal every secret in the database with the first key of BIZFIN_SECRET_KEY, so that the others can go",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, db, err := openStore(cmd.ErrOrStderr(), needKeys)
			if err != nil {
				return err
			}
			defer db.Close()
			resealed, err := db.Reseal(cmd.Context(), s.keys, server.SecretContext)
			fmt.Fprintf(cmd.OutOrStdout(), "%d sealed anew\n", resealed)
			if errors.Is(err, seal.ErrUnknownKey) {
				return errors.New("something is sealed with a key that BIZFIN_SECRET_KEY does not list; add it and run this again")
			}
			return err
		},
	}
}
