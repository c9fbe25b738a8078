package main

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// pageFlags are those of a command that lists more than fits on a page.
type pageFlags struct {
	after string
	limit int
}

func (p *pageFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&p.limit, "limit", 100, "how many to list, at most 10000")
	cmd.Flags().StringVar(&p.after, "after", "", "list those after this id: the next of the page before")
	_ = cmd.Flags().SetAnnotation("after", mayBeEmpty, []string{"true"}) // of the first page
}

// read returns the id to go on after, zero at the beginning.
func (p *pageFlags) read() (after uuid.UUID, limit int, err error) {
	if limit, err = p.size(); err != nil || p.after == "" {
		return after, limit, err
	}
	if after, err = uuid.Parse(p.after); err != nil {
		return after, limit, fmt.Errorf("--after must be the id that a page before ended with")
	}
	return after, limit, nil
}

func (p *pageFlags) size() (int, error) {
	const most = 10_000
	if p.limit < 1 || p.limit > most {
		return 0, fmt.Errorf("--limit must be from 1 to %d", most)
	}
	return p.limit, nil
}

// nextPage is what the next page begins after; nil at the end.
func nextPage[T, ID any](list []T, limit int, id func(T) ID) *ID {
	if len(list) < limit {
		return nil
	}
	last := id(list[len(list)-1])
	return &last
}

// sayMore says how to go on where there may be more.
func sayMore[T any](cmd *cobra.Command, next *T) {
	if next != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "There may be more: --after %v\n", *next)
	}
}
