package main

import (
	"io"
	"time"

	"bizfin/store"
)

// migrationPatience is what a step may take: building an index over a large table takes long.
const migrationPatience = 12 * time.Hour

// migrationLockTimeout is what a step waits for a lock before it is taken again: as long as it waits, those wait who
// come after it.
const migrationLockTimeout = time.Second

// migrationName tells the connections of a migration from those of programs.
const migrationName = "bizfin migrate"

// openForMigration opens the database without the limits of requests.
func openForMigration(notes io.Writer) (*store.DB, error) {
	s, err := readSettings(notes)
	if err != nil {
		return nil, err
	}
	if err := s.check(needDatabase); err != nil {
		return nil, err
	}
	return store.Open(s.DatabaseURL, store.Options{MaxConnections: 2, StatementTimeout: migrationPatience,
		LockTimeout: migrationLockTimeout, Name: migrationName})
}
