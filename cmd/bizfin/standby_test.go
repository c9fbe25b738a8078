package main

import (
	"context"
	"errors"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"bizfin/store"
)

func TestWithASynchronousStandby(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash here")
	}
	p := startPair(t)
	t.Run("of several hosts the one that is no standby is taken", p.takesThePrimary)
	t.Run("a commit that the standby does not have is not acknowledged", p.acknowledgesWhatBothHave)
}

func (p *pair) takesThePrimary(t *testing.T) {
	address, err := url.Parse(p.both())
	if err != nil {
		t.Fatal(err)
	}
	hosts := strings.Split(address.Host, ",")
	for range hosts {
		slices.Reverse(hosts)
		address.Host = strings.Join(hosts, ",")
		db, err := store.Open(address.String(), store.Options{MaxConnections: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if c, err := db.Condition(t.Context()); err != nil || c.ReadOnly {
			t.Errorf("of %v one is taken that is read-only: %v (%v)", hosts, c.ReadOnly, err)
		}
	}
}

// acknowledgesWhatBothHave hangs the standby: the primary ends the wait when the request is given up, and has the row.
func (p *pair) acknowledgesWhatBothHave(t *testing.T) {
	db := p.open(p.primary)
	defer db.Close()
	p.standby.hang()
	defer p.standby.resume()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err := db.CreatePartner(ctx, time.Now(), "waiting", "Waiting", nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it is answered %v", err)
	}
	var kept int
	err = db.SQL().QueryRow(`SELECT count(*) FROM partners WHERE id = 'waiting'`).Scan(&kept)
	if err != nil || kept != 1 {
		t.Errorf("the primary has the partner %d times (%v): nothing was tried", kept, err)
	}
}
