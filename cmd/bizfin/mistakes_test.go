package main

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestAllProblemsOfTheSettingsAreToldTogether(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("BIZFIN_REQUEST_TIMEOUT", "soon")
	t.Setenv("BIZFIN_DATABASE_CONNECTIONS", "many")
	t.Setenv("BIZFIN_DATABASE_URL", "mysql://secret-1@db")
	t.Setenv("BIZFIN_SECRET_KEY", "secret-2")
	for command, wants := range map[string][]string{
		"serve": {"BIZFIN_REQUEST_TIMEOUT must be a duration", "BIZFIN_DATABASE_CONNECTIONS must be a whole number",
			"BIZFIN_DATABASE_URL must", "BIZFIN_SECRET_KEY must", "BIZFIN_AUDIENCE must", "BIZFIN_REDIS_URL must"},
		"migrate status": {"BIZFIN_REQUEST_TIMEOUT must be a duration", "BIZFIN_DATABASE_URL must"},
		"dev":            {"BIZFIN_REQUEST_TIMEOUT must be a duration", "BIZFIN_SECRET_KEY must", "PORT must"},
	} {
		t.Setenv("PORT", "abc")
		_, err := bizfin(t.Context(), strings.Fields(command)...)
		if err == nil {
			t.Fatalf("%s starts", command)
		}
		for _, want := range wants {
			if strings.Count(err.Error(), want) != 1 {
				t.Errorf("%s says %v; it should say %q once", command, err, want)
			}
		}
		if strings.Count(err.Error(), "BIZFIN_REQUEST_TIMEOUT") != 1 || strings.Contains(err.Error(), "secret-") {
			t.Errorf("%s says %v", command, err)
		}
	}
}

// A script whose variable is not set gives an empty value. It chooses nothing, and is no filter that lets all through.
func TestAnEmptyValueIsNoFilter(t *testing.T) {
	useTestStack(t)
	for _, command := range []string{
		"audit --user", "audit --partner", "audit --action", "grant list --user", "grant revoke --client",
		"token revoke --user", "user list --email", "organization list --partner", "migrate up --grant",
	} {
		out, err := bizfin(t.Context(), append(strings.Fields(command), "")...)
		flag := command[strings.LastIndex(command, "--"):]
		if err == nil || out != "" || !strings.Contains(err.Error(), flag+" is empty") {
			t.Errorf("%s prints %q, %v; it should say that %s is empty", command, out, err, flag)
		}
	}
	if _, err := bizfin(t.Context(), "user", "list", "--after", ""); err != nil {
		t.Errorf("of the first page: %v", err)
	}
}

func TestAGrantThatIsNotThereIsNotEnded(t *testing.T) {
	useTestStack(t)
	id := uuid.NewString()
	if out, err := bizfin(t.Context(), "grant", "revoke", "--id", id); err == nil || out != "" ||
		!strings.Contains(err.Error(), "there is no grant "+id) {
		t.Errorf("it prints %q, %v", out, err)
	}
}

func TestAnAddressThatNothingCanListenOnIsSaidWithItsSetting(t *testing.T) {
	useTestStack(t)
	for _, c := range []struct{ name, value, says string }{
		{"BIZFIN_ADDR", "8080", "BIZFIN_ADDR must be a port"},
		{"BIZFIN_ADDR", ":99999", "BIZFIN_ADDR must be a port"},
		{"BIZFIN_METRICS_ADDR", "metrics", "BIZFIN_METRICS_ADDR must be a port"},
		{"BIZFIN_ADDR", "192.0.2.1:8080", "which BIZFIN_ADDR says"}, // of documentation (RFC 5737), and nobody's
	} {
		t.Run(c.value, func(t *testing.T) {
			t.Setenv(c.name, c.value)
			if _, err := bizfin(t.Context(), "serve"); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s=%s: %v", c.name, c.value, err)
			}
		})
	}
}

func TestATokenThatTheServiceWouldRefuseIsNotSigned(t *testing.T) {
	useTestStack(t)
	partner := "mistakes-" + uuid.NewString()
	if _, err := bizfin(t.Context(), "partner", "create", partner); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 400)
	for _, c := range []struct {
		says string
		args []string
	}{
		{"--revoke", nil},
		{"--revoke", []string{"--revoke", "--business", "b=B"}},
		{"/payload/tier", []string{"--business", "b=B", "--tier", "gold"}},
		{"/payload/businesses/0/name", []string{"--business", "b=" + long}},
		{"/payload/businesses/1/id", []string{"--business", "b=B", "--business", "b=C"}},
		{"sub is not", []string{"--business", "b=B", "--sub", long}},
		{"email is not", []string{"--business", "b=B", "--email", long}},
		{"--ttl", []string{"--business", "b=B", "--ttl", "-1m"}},
	} {
		out, err := bizfin(t.Context(), append([]string{"token", "partner", "--partner", partner}, c.args...)...)
		if err == nil || out != "" || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v prints %q, %v; it should say %q", c.args, out, err, c.says)
		}
	}
	if out, err := bizfin(t.Context(), "token", "partner", "--partner", partner, "--revoke"); err != nil ||
		strings.Count(out, ".") != 2 {
		t.Errorf("a token that revokes: %q, %v", out, err)
	}
}

func TestAPartnerIDCanStandInAHeaderAndAnAddress(t *testing.T) {
	useTestStack(t)
	for _, id := range []string{"", " ", "a b", "a/b", "a?b", "ä", "a\nb", ".", "..", strings.Repeat("x", 201)} {
		if _, err := bizfin(t.Context(), "partner", "create", id); err == nil || !strings.Contains(err.Error(),
			"partner id") {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := bizfin(t.Context(), "partner", "create", "p-"+uuid.NewString(), "--name", "a\x00b"); err == nil {
		t.Error("a name that cannot be stored is taken")
	}
	if _, err := bizfin(t.Context(), "partner", "create", "Acme.Payments_2~x-"+uuid.NewString()); err != nil {
		t.Error(err)
	}
}

func TestWhatIsAwayIsSaidAtTheStart(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	well := func(context.Context) error { return nil }
	away := func(context.Context) error { return context.DeadlineExceeded }
	log := slog.New(slog.NewTextHandler(&text, nil))
	tellWhatIsAway(t.Context(), log, well, well)
	if text.Len() > 0 {
		t.Errorf("it says %s", text.String())
	}
	tellWhatIsAway(t.Context(), log, away, away)
	for _, want := range []string{"the database does not answer", "BIZFIN_DATABASE_URL",
		"the queue does not answer", "BIZFIN_REDIS_URL"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("it says not %q: %s", want, text.String())
		}
	}
}
