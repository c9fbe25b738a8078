package main

import (
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

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
	cmd.AddCommand(demo)
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
