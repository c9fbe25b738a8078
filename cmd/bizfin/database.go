package main

import (
	"io"

	"bizfin/store"
)

// openStore opens the database of a command that needs little else.
func openStore(notes io.Writer, needs ...int) (settings, *store.DB, error) {
	s, err := readSettings(notes)
	if err != nil {
		return s, nil, err
	}
	if err := s.check(append(needs, needDatabase)...); err != nil {
		return s, nil, err
	}
	db, err := store.Open(s.DatabaseURL, store.Options{MaxConnections: s.DatabaseConnections})
	return s, db, err
}
