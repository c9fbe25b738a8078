package store

import (
	"context"
	"time"
)

// SearchTime is what a search may take with all its statements, from asking for a connection on: one that a caller
// makes slow holds a connection no longer.
const SearchTime = 2 * time.Second

// inSearchTime runs a search. PostgreSQL is told to cancel a statement whose time is over. ErrSearchTime.
func inSearchTime(ctx context.Context, search func(ctx context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, SearchTime)
	defer cancel()
	err := search(bounded)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return ErrSearchTime
	}
	return err
}
