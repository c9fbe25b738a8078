package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/store"
	"bizfin/store/storetest"
)

func TestUserLinkLetsASubjectActAsAPerson(t *testing.T) {
	t.Setenv("BIZFIN_DATABASE_URL", storetest.DatabaseURL(t))
	t.Setenv("BIZFIN_OAUTH_ISSUERS", "https://login.example.com")
	db, partner := storetest.DB(t), "link-"+uuid.NewString()
	if err := db.CreatePartner(t.Context(), time.Now(), partner, "Partner", nil); err != nil {
		t.Fatal(err)
	}
	people := map[string]uuid.UUID{}
	for _, name := range []string{"ana", "ben"} {
		connected, err := db.Connect(t.Context(), time.Now(),
			store.Connection{PartnerID: partner, Subject: name, Businesses: []store.Business{}})
		if err != nil {
			t.Fatal(err)
		}
		people[name] = connected.PersonID
	}
	subject := uuid.NewString()
	run := func(arguments ...string) (printed string, err error) {
		var out bytes.Buffer
		cmd := root()
		cmd.SetArgs(append([]string{"user", "link"}, arguments...))
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		err = cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	link := func(person string, more ...string) (string, error) {
		return run(append([]string{person, "--issuer", "https://login.example.com", "--subject", subject}, more...)...)
	}
	linked := func() uuid.UUID {
		person, err := db.OAuthIdentity(t.Context(), "https://login.example.com", subject)
		if err != nil && !errors.Is(err, store.ErrInvalidCredential) {
			t.Fatal(err)
		}
		return person
	}
	for range 2 {
		if printed, err := link(people["ana"].String()); err != nil ||
			strings.Contains(printed, "BIZFIN_OAUTH_ISSUERS") {
			t.Fatalf("%v %s", err, printed)
		}
	}
	if linked() != people["ana"] {
		t.Error("ana is not linked")
	}
	for what, refused := range map[string]func() (string, error){
		"another person's subject": func() (string, error) { return link(people["ben"].String()) },
		"unlinking another person": func() (string, error) { return link(people["ben"].String(), "--off") },
		"an unknown person": func() (string, error) {
			return run(uuid.NewString(), "--issuer", "https://login.example.com", "--subject", uuid.NewString())
		},
		"no id": func() (string, error) { return link("ana") },
		"no subject": func() (string, error) {
			return run(people["ana"].String(), "--issuer",
				"https://login.example.com")
		},
		"no issuer": func() (string, error) { return run(people["ana"].String(), "--subject", "x") },
	} {
		if _, err := refused(); err == nil {
			t.Errorf("%s was accepted", what)
		}
	}
	if linked() != people["ana"] {
		t.Error("a refused command changed the link")
	}
	if _, err := link(people["ana"].String(), "--off"); err != nil || linked() != uuid.Nil {
		t.Errorf("--off: %v", err)
	}
	if printed, err := run(people["ana"].String(), "--issuer", "https://other.example.com", "--subject",
		subject); err != nil || !strings.Contains(printed, "BIZFIN_OAUTH_ISSUERS") {
		t.Errorf("an issuer that is not configured: %v %q", err, printed)
	}
}

func TestOAuthSettingsAreCheckedAtTheStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		issuers string
		origins []string
		problem string
	}{
		{"https://a.example.com, http://127.0.0.1:9000/realm",
			[]string{"https://app.example.com", "http://localhost:6274"}, ""},
		{"http://a.example.com", nil, "BIZFIN_OAUTH_ISSUERS"},
		{"", []string{"https://app.example.com/"}, "BIZFIN_CORS_ORIGINS"},
		{"", []string{"*"}, "BIZFIN_CORS_ORIGINS"},
	} {
		s := settings{OAuthIssuers: c.issuers, CORSOrigins: c.origins, DatabaseConnections: 1,
			RequestTimeout: time.Second, MemoryLimit: 64 << 20}
		err := s.check()
		if c.problem == "" && err != nil || c.problem != "" &&
			(err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%q %q: %v", c.issuers, c.origins, err)
		}
	}
}
