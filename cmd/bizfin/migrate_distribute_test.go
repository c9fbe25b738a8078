package main

import (
	"errors"
	"strings"
	"testing"
)

func TestAPlainDatabaseIsNotSpread(t *testing.T) {
	useTestStack(t)
	for flag, want := range map[string]string{"--trial": "no extension citus", "--status": "no extension citus",
		"--json": "cannot serve from a spread database"} {
		_, err := bizfin(t.Context(), "migrate", "distribute", flag)
		var f *failure
		if !errors.As(err, &f) || !strings.Contains(f.message, want) {
			t.Errorf("migrate distribute %s on plain PostgreSQL: %v", flag, err)
		}
	}
}
