package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/seal"
	"bizfin/store"
	"bizfin/store/storetest"
)

// snapshotKeys seal the snapshots of all tests of this package.
var snapshotKeys = newKeys()

func newKeys() seal.Keyring {
	keys, err := seal.ParseKeys(seal.NewKey())
	if err != nil {
		panic(err)
	}
	return keys
}

// legacyPerson is a person of a partner, as the webhook knows them.
type legacyPerson struct {
	t       testing.TB
	partner string
	subject string
	store.LegacyMapping
}

func newPartner(t testing.TB) string {
	t.Helper()
	partner := "partner-" + uuid.NewString()
	must(t, storetest.DB(t).CreatePartner(t.Context(), noon, partner, "Partner", nil))
	return partner
}

// login makes a person who has opened the embedded flow.
func login(t testing.TB) legacyPerson {
	t.Helper()
	p := legacyPerson{t: t, partner: newPartner(t), subject: "ana"}
	p.login()
	return p
}

func (p *legacyPerson) login() {
	p.t.Helper()
	var err error
	p.LegacyMapping, err = storetest.DB(p.t).LegacyLogin(p.t.Context(), noon,
		store.LegacyLogin{PartnerID: p.partner, Subject: p.subject, Email: p.subject + "@example.com"})
	must(p.t, err)
}

// send accepts a snapshot without applying it.
func (p legacyPerson) send(accounts ...store.SnapshotAccount) int64 {
	p.t.Helper()
	s := store.Snapshot{PartnerID: p.partner, Subject: p.subject, Accounts: accounts}
	must(p.t, storetest.DB(p.t).AcceptSnapshot(p.t.Context(), noon, snapshotKeys, s))
	return int64(count(p.t, `SELECT max(id) FROM account_snapshots WHERE partner_id = $1 AND subject = $2`, p.partner,
		p.subject))
}

// apply sends a snapshot and applies it.
func (p legacyPerson) apply(accounts ...store.SnapshotAccount) {
	p.t.Helper()
	applied, err := storetest.DB(p.t).ApplySnapshot(p.t.Context(), noon, snapshotKeys, p.send(accounts...))
	must(p.t, err)
	if !applied {
		p.t.Fatal("the snapshot was skipped")
	}
}

// accounts are the person's accounts as "id status balance".
func (p legacyPerson) accounts() []string {
	p.t.Helper()
	list, err := storetest.Accounts(p.t.Context(), storetest.DB(p.t).Organization(p.OrganizationID), true)
	must(p.t, err)
	var texts []string
	for _, a := range list {
		if a.SourceKind != "legacy" || a.SourceID != p.SourceID {
			p.t.Errorf("source %s of kind %s", a.SourceID, a.SourceKind)
		}
		texts = append(texts, fmt.Sprintf("%s %s %s", a.ExternalID, a.Status, a.CurrentBalance))
	}
	return texts
}

func (p legacyPerson) want(accounts ...string) {
	p.t.Helper()
	if diff := cmp.Diff(accounts, p.accounts()); diff != "" {
		p.t.Errorf("accounts: %s", diff)
	}
}

// listed is an account of a snapshot; change may say more of it.
func listed(id string, change ...func(*store.SnapshotAccount)) store.SnapshotAccount {
	a := store.SnapshotAccount{ExternalID: id, Name: "Account " + id, Currency: "USD"}
	for _, c := range change {
		c(&a)
	}
	return a
}

func balance(cents money.Amount) func(*store.SnapshotAccount) {
	return func(a *store.SnapshotAccount) { a.Balance = &cents }
}

func status(text string) func(*store.SnapshotAccount) {
	return func(a *store.SnapshotAccount) { a.Status = text }
}

func bankToken(text string) func(*store.SnapshotAccount) {
	return func(a *store.SnapshotAccount) { a.Token = text }
}

func TestManyLoginsAtOnceMakeOneOfEverything(t *testing.T) {
	t.Parallel()
	ctx, db, partner := t.Context(), storetest.DB(t), newPartner(t)
	mappings := make([]store.LegacyMapping, 10)
	var calls []func() error
	for i := range mappings {
		calls = append(calls, func() (err error) {
			mappings[i], err = db.LegacyLogin(ctx, noon, store.LegacyLogin{PartnerID: partner, Subject: "ana",
				Email: fmt.Sprintf("%d@example.com", i), Name: "Ana"})
			return err
		}, func() error {
			_, err := db.Connect(ctx, noon, store.Connection{PartnerID: partner, Subject: "ana"})
			return err
		})
	}
	for _, err := range atOnce(calls...) {
		must(t, err)
	}
	for _, m := range mappings {
		if m != mappings[0] {
			t.Errorf("%v and %v", m, mappings[0])
		}
	}
	for what, got := range map[string]int{
		"people":     count(t, `SELECT count(*) FROM identities WHERE partner_id = $1`, partner),
		"businesses": count(t, `SELECT count(*) FROM memberships WHERE person_id = $1 AND partner_id IS NULL AND role = 'owner'`, mappings[0].PersonID),
		"sources": count(t, `SELECT count(*) FROM sources WHERE organization_id = $1 AND kind = 'legacy'`,
			mappings[0].OrganizationID),
		"native ones": count(t, `SELECT count(*) FROM organizations WHERE id = $1 AND partner_id IS NULL AND tier IS NULL`, mappings[0].OrganizationID),
	} {
		if got != 1 {
			t.Errorf("%d %s, want 1", got, what)
		}
	}
}

func TestALoginKeepsTheFirstEmail(t *testing.T) {
	t.Parallel()
	ctx, db, partner := t.Context(), storetest.DB(t), newPartner(t)
	for _, test := range []struct{ subject, connected, want string }{
		{"ana", "ana@first.example", "ana@first.example"},
		{"ben", "", "login@example.com"},
	} {
		connected, err := db.Connect(ctx, noon, store.Connection{PartnerID: partner, Subject: test.subject,
			Email: test.connected})
		must(t, err)
		for _, email := range []string{"login@example.com", "later@example.com"} {
			mapping, err := db.LegacyLogin(ctx, noon, store.LegacyLogin{PartnerID: partner, Subject: test.subject,
				Email: email})
			must(t, err)
			if mapping.PersonID != connected.PersonID {
				t.Errorf("%s is another person after the login", test.subject)
			}
		}
		person, err := db.Person(ctx, connected.PersonID)
		must(t, err)
		if person.Email == nil || *person.Email != test.want {
			t.Errorf("%s has e-mail %v, want %s", test.subject, person.Email, test.want)
		}
	}
}

func TestALoginOfAnUnknownOrDisabledPartnerIsRefused(t *testing.T) {
	t.Parallel()
	ctx, db, disabled := context.Background(), storetest.DB(t), newPartner(t)
	must(t, db.DisablePartner(ctx, noon, disabled))
	for _, partner := range []string{disabled, "partner-" + uuid.NewString()} {
		_, err := db.LegacyLogin(ctx, noon, store.LegacyLogin{PartnerID: partner, Subject: "ana",
			Email: "ana@example.com"})
		if !errors.Is(err, store.ErrInvalidCredential) {
			t.Errorf("%v, want ErrInvalidCredential", err)
		}
	}
}
