package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"bizfin/migrations"
	"bizfin/store"
	"bizfin/store/storetest"
)

// servers run until they are stopped, and print no data.
var servers = []string{"bizfin serve", "bizfin work", "bizfin dev"}

func TestEveryCommandExplainsItself(t *testing.T) {
	t.Parallel()
	walk(root(), func(c *cobra.Command) {
		at := c.CommandPath()
		if c.Short == "" || len(c.Short) > 80 || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: in short it is %q", at, c.Short)
		}
		for _, line := range strings.Split(c.Long, "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%s: a line of its help has %d columns", at, n)
			}
		}
		if c.Example == "" {
			t.Errorf("%s has no example", at)
		}
		if !c.HasSubCommands() && !slices.Contains(servers, at) && c.Flags().Lookup("json") == nil {
			t.Errorf("%s has no --json", at)
		}
	})
}

// Examples are pasted, so they name commands and flags that there are.
func TestExamplesNameWhatThereIs(t *testing.T) {
	t.Parallel()
	program := root()
	walk(program, func(c *cobra.Command) {
		for _, line := range strings.Split(c.Example, "\n") {
			line, _, _ = strings.Cut(line, " #")
			_, after, found := strings.Cut(line, "bizfin ")
			if !found {
				t.Errorf("%s: the example %q runs something else", c.CommandPath(), line)
				continue
			}
			for call := range strings.SplitSeq(after, "bizfin ") {
				words := strings.FieldsFunc(call, func(r rune) bool { return strings.ContainsRune(" )|>&", r) })
				if len(words) > 0 && words[0] == "help" {
					continue
				}
				named, _, err := program.Find(words)
				if err != nil || named == program {
					t.Errorf("%s: the example %q: %v", c.CommandPath(), line, err)
					continue
				}
				for _, word := range words {
					flag, ok := strings.CutPrefix(word, "--")
					if ok && named.Flags().Lookup(flag) == nil {
						t.Errorf("%s: the example %q has a flag that %s does not have", c.CommandPath(), line,
							named.CommandPath())
					}
				}
			}
		}
	})
}

// useTestStack points the settings at the servers of the tests.
func useTestStack(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("BIZFIN_DATABASE_URL", storetest.DatabaseURL(t))
	t.Setenv("BIZFIN_REDIS_URL", storetest.RedisURL(t))
	t.Setenv("BIZFIN_SECRET_KEY", storetest.SecretKey(t))
	t.Setenv("BIZFIN_AUDIENCE", "commands")
	t.Setenv("BIZFIN_PUBLIC_URL", "https://api.example.com")
}

// newDatabase makes an empty database beside the tests' own.
func newDatabase(t *testing.T, with string) (address string) {
	t.Helper()
	name := "commands_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	admin := storetest.DB(t).SQL()
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name+" TEMPLATE template0 "+with); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = admin.Exec("DROP DATABASE " + name + " WITH (FORCE)") })
	return anotherDatabase(t, name)
}

// anotherDatabase is the address of one beside the tests' own.
func anotherDatabase(t *testing.T, name string) string {
	t.Helper()
	u, err := url.Parse(storetest.DatabaseURL(t))
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

func TestEveryCommandThatPrintsDataPrintsJSON(t *testing.T) {
	useTestStack(t)
	partner := "commands-" + uuid.NewString()
	seen := map[string]bool{}
	run := func(args ...string) map[string]any {
		t.Helper()
		out, err := bizfin(t.Context(), append(args, "--json")...)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		var said map[string]any
		if err := json.Unmarshal([]byte(out), &said); err != nil {
			t.Fatalf("%v prints %q", args, out)
		}
		if strings.Contains(out, "\n") {
			t.Errorf("%v prints more than a line", args)
		}
		c, _, _ := root().Find(args)
		seen[c.CommandPath()] = true
		return said
	}
	has := func(said map[string]any, want ...string) {
		t.Helper()
		slices.Sort(want)
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(said))); diff != "" {
			t.Error(diff)
		}
	}
	has(run("partner", "create", partner), "partner_id", "partner_secret", "webhook_url", "webhook_secret")
	has(run("partner", "rotate", partner), "partner_id", "purpose", "secret")
	if retired := run("partner", "rotate", partner, "--finish"); retired["retired"] != 1.0 {
		t.Errorf("finishing a rotation prints %v", retired)
	}
	limited := run("partner", "limits", partner, "--in-flight", "7")
	has(limited, "partner_id", "requests_per_second", "in_flight", "organization_requests_per_second",
		"organization_in_flight")
	if got := limited["in_flight"].(map[string]any); got["limit"] != 7.0 || got["usual"] != false {
		t.Errorf("limits print %v", limited)
	}
	if kept := run("partner", "limits", partner); kept["in_flight"].(map[string]any)["limit"] != 7.0 {
		t.Errorf("limits print %v", kept)
	}
	if usual := run("partner", "limits", partner, "--reset"); usual["in_flight"].(map[string]any)["usual"] != true {
		t.Errorf("after a reset limits print %v", usual)
	}
	login := run("legacy", "login", "--partner", partner, "--sub", "ana", "--email", "ana@example.com")
	has(login, "user_id", "organization_id")
	person := login["user_id"].(string)
	if off := run("user", "demo", person, "--off"); off["demo"] != false || off["user_id"] != person {
		t.Errorf("user demo --off prints %v", off)
	}
	has(run("user", "link", person, "--issuer", "https://login.example.com", "--subject", uuid.NewString()), "user_id",
		"issuer", "subject", "linked")
	has(run("token", "partner", "--partner", partner, "--business", "b=B"), "token", "expires_at")
	minted := run("token", "oauth", "--user", person)
	has(minted, "token", "expires_at")
	if at, err := time.Parse(time.RFC3339, minted["expires_at"].(string)); err != nil || time.Until(at) > time.Hour ||
		time.Until(at) < 50*time.Minute {
		t.Errorf("an OAuth token of an hour expires at %v", minted["expires_at"])
	}
	organization := login["organization_id"].(string)
	if list := run("organization", "list", "--limit", "1"); len(list["organizations"].([]any)) != 1 ||
		list["next"] == nil {
		t.Errorf("a page of one lists %v", list)
	}
	if shown := run("organization", "show", organization); shown["organization_id"] != organization ||
		len(shown["people"].([]any)) != 1 || len(shown["sources"].([]any)) != 1 {
		t.Errorf("the organization is %v", shown)
	}
	if list := run("user", "list", "--partner", partner, "--sub", "ana")["users"].([]any); len(list) != 1 ||
		list[0].(map[string]any)["user_id"] != person {
		t.Errorf("by their partner's id the people are %v", list)
	}
	if shown := run("user", "show", person); len(shown["identities"].([]any)) != 2 ||
		len(shown["tokens"].([]any)) != 1 {
		t.Errorf("the person is %v", shown)
	}
	if shown := run("partner", "show", partner); len(shown["secrets"].([]any)) != 3 || shown["organizations"] != 0.0 ||
		shown["users"] != 1.0 {
		t.Errorf("the partner is %v", shown)
	}
	tokens := run("token", "list", "--user", person)["tokens"].([]any)
	if len(tokens) != 1 {
		t.Fatalf("the tokens are %v", tokens)
	}
	tokenID := tokens[0].(map[string]any)["token_id"].(string)
	run("token", "oauth", "--user", person)
	page := run("token", "list", "--user", person, "--limit", "1")
	rest := run("token", "list", "--user", person, "--limit", "1", "--after", page["next"].(string))
	if left := rest["tokens"].([]any); len(left) != 1 || left[0].(map[string]any)["token_id"] != tokenID {
		t.Errorf("the second page of tokens is %v", rest)
	}
	if end := run("token", "list", "--user", person, "--after", tokenID); len(end["tokens"].([]any)) != 0 ||
		end["next"] != nil {
		t.Errorf("behind the last token there are %v", end)
	}
	if shown := run("token", "show", tokenID); shown["user_id"] != person || shown["revoked_at"] != nil {
		t.Errorf("the token is %v", shown)
	}
	if ended := run("token", "revoke", "--user", person); ended["revoked"] != 2.0 {
		t.Errorf("revoking by the person prints %v", ended)
	}
	if shown := run("token", "show", tokenID); shown["revoked_at"] == nil {
		t.Errorf("the token is not revoked: %v", shown)
	}
	has(run("token", "revoke", "--id", tokenID), "revoked")
	if set := run("partner", "set", partner, "--sign-in-url", "https://app.example.com/x"); set["sign_in_url"] !=
		"https://app.example.com/x" {
		t.Errorf("a sign-in address is set as %v", set)
	}
	if shown := run("partner", "show", partner); shown["sign_in_url"] != "https://app.example.com/x" {
		t.Errorf("the partner is %v", shown)
	}
	has(run("partner", "set", partner, "--sign-in-url", ""), "partner_id", "sign_in_url")
	if list := run("grant", "list", "--user", person)["grants"].([]any); len(list) != 0 {
		t.Errorf("nobody granted %v", list)
	}
	if ended := run("grant", "revoke", "--user", person); ended["revoked"] != 0.0 {
		t.Errorf("ended %v", ended)
	}
	has(run("audit", "--user", person, "--action", "revoke token", "--limit", "1"), "at", "action", "actor",
		"partner_id", "user_id", "token_id", "organization_id", "object_type", "object_id", "request_id", "counts")
	has(run("snapshots", "list"), "snapshots")
	processor := startProcessor(t)
	t.Setenv("BIZFIN_STRIPE_SECRET_KEY", stripeKey)
	t.Setenv("BIZFIN_STRIPE_WEBHOOK_SECRET", stripeSecret)
	t.Setenv("BIZFIN_STRIPE_URL", processor.url)
	has(run("billing", "link", "cus_"+uuid.NewString(), person), "customer", "user_id")
	has(run("billing", "sync"), "listed", "differ", "waiting")
	has(run("billing", "list"), "customers")
	has(run("organization", "export", organization, "--out", "organization.zip"), "out", "files")
	has(run("user", "export", person, "--out", "user.zip"), "out", "files")
	has(run("partner", "disable", partner), "partner_id", "state")
	for _, erase := range [][]string{{"organization", "erase", organization}, {"user", "erase", person},
		{"partner", "erase", partner}} {
		if counted := run(erase...); counted["erased"] != false || len(counted["rows"].(map[string]any)) == 0 {
			t.Errorf("%v without --yes prints %v", erase, counted)
		}
		has(run(append(erase, "--yes")...), "id", "erased", "rows", "stays")
	}
	if shown := run("partner", "show", partner); shown["organizations"] != 0.0 || shown["users"] != 0.0 ||
		len(shown["secrets"].([]any)) != 0 {
		t.Errorf("of an erased partner %v is left", shown)
	}
	found := false
	for _, p := range run("partner", "list")["partners"].([]any) {
		p := p.(map[string]any)
		found = found || p["partner_id"] == partner && p["state"] == "disabled" && p["disabled_at"] != nil
	}
	if !found {
		t.Error("the list does not have the disabled partner")
	}
	has(run("version"), "version")
	if doc := run("openapi"); doc["openapi"] == nil || doc["paths"] == nil {
		t.Error("openapi prints another document")
	}
	has(run("doctor"), "ok", "checks")
	has(run("settings"), "settings")
	well := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer well.Close()
	has(run("health", well.URL), "status")

	t.Setenv("BIZFIN_DATABASE_URL", newDatabase(t, "ENCODING 'UTF8'"))
	steps := fmt.Sprint(run("migrate", "up")["taken"])
	if status := run("migrate", "status")["steps"].([]any); fmt.Sprint(len(status)) != steps ||
		status[0].(map[string]any)["state"] != "applied" {
		t.Errorf("after %v steps the status is %v", steps, status)
	}
	has(run("snapshots", "retry", "--all"), "retried", "superseded")
	has(run("snapshots", "drop", "--all"), "dropped")
	if resealed := run("reseal"); resealed["resealed"] != 0.0 {
		t.Errorf("reseal prints %v", resealed)
	}
	if down := run("migrate", "down"); !strings.HasSuffix(down["taken_back"].(string), ".sql") {
		t.Errorf("migrate down prints %v", down)
	}
	walk(root(), func(c *cobra.Command) {
		hasTestsOfItsOwn := slices.Contains([]string{"demo", "import", "pnl", "cashflow", "distribute"}, c.Name())
		if c.Flags().Lookup("json") != nil && !seen[c.CommandPath()] && !hasTestsOfItsOwn {
			t.Errorf("%s was not tried", c.CommandPath())
		}
	})
}

func TestWhatIsTypedWrongSaysWhereToReadOn(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"dmeo": `there is no command "bizfin dmeo"; did you mean demo or dev?` +
			"\n  See: bizfin --help",
		"partner craete": `there is no command "bizfin partner craete"; did you mean create?` +
			"\n  See: bizfin partner --help",
		"partner quux":       `there is no command "bizfin partner quux"` + "\n  See: bizfin partner --help",
		"partner rotate":     "ID is missing\n  See: bizfin partner rotate --help",
		"partner rotate a b": `"b" is one argument too many` + "\n  See: bizfin partner rotate --help",
		"doctor --jsn":       "unknown flag: --jsn\n  See: bizfin doctor --help",
		"token oauth":        `required flag(s) "user" not set` + "\n  See: bizfin token oauth --help",
		"token oauth --user 0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d01 --ttl 9999h": "--ttl must be longer than nothing " +
			"and at most 2160h0m0s; mint another one in time",
		"token revoke mcp_secret": `"mcp_secret" is one argument too many` + "\n  See: bizfin token revoke --help",
		"token oauth --ttl soon": `invalid argument "soon" for "--ttl" flag: time: invalid duration "soon"` +
			"\n  See: bizfin token oauth --help",
		"migrate up now": `"now" is one argument too many` + "\n  See: bizfin migrate up --help",
		"user demo not-a-user_id": "\"not-a-user_id\" is not a user_id\n  It is a UUID, as a connection or bizfin " +
			"legacy login answers it",
	} {
		if _, err := bizfin(t.Context(), strings.Fields(typed)...); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", typed, err, want)
		}
	}
	for _, asked := range []string{"", "partner", "partner --help", "help token"} {
		if out, err := bizfin(t.Context(), strings.Fields(asked)...); err != nil || !strings.Contains(out, "Usage:") {
			t.Errorf("%q: %v", asked, err)
		}
	}
}

func TestADatabaseThatCannotBeUsedSaysWhatToDo(t *testing.T) {
	useTestStack(t)
	away := "postgres://someone:hidden@" + freeAddress(t) + "/x"
	for name, c := range map[string]struct{ address, want string }{
		"nobody listens": {away, "BIZFIN_DATABASE_URL"},
		"no database":    {anotherDatabase(t, "no_such_database"), "createdb"},
		"no schema":      {newDatabase(t, ""), "bizfin migrate up"},
		"no host":        {"postgres://someone:hidden@no-such-host.invalid/x", "no-such-host.invalid"},
		"no address":     {"mysql://someone:hidden@host/x", "bizfin doctor"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("BIZFIN_DATABASE_URL", c.address)
			out, err := bizfin(t.Context(), "partner", "list")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hidden") ||
				strings.Contains(err.Error(), "pq:") || out != "" {
				t.Errorf("it says %v, want %s", err, c.want)
			}
		})
	}
}

func TestCompletionKnowsThePartners(t *testing.T) {
	useTestStack(t)
	partner := "complete-" + uuid.NewString()
	if err := storetest.DB(t).CreatePartner(t.Context(), time.Now(), partner, "Complete Inc", nil); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"partner rotate |":        partner + "\tComplete Inc",
		"token partner --partner": partner + "\tComplete Inc",
		"token partner --tier":    "paid",
		"token oauth --scope":     "org:answer",
		"partner |":               "create\tCreate a partner",
	} {
		words := append([]string{cobra.ShellCompRequestCmd}, strings.Fields(strings.TrimSuffix(typed, "|"))...)
		if out, err := bizfin(t.Context(), append(words, "")...); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s offers %q, %v", typed, out, err)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out, err := bizfin(t.Context(), "completion", shell); err != nil || !strings.Contains(out, "bizfin") {
			t.Errorf("no completion for %s: %v", shell, err)
		}
	}
}

// stepBack leaves the newest step of a database out.
func stepBack(t *testing.T, db *store.DB) {
	t.Helper()
	provider, err := migrations.Provider(db.SQL())
	if err == nil {
		_, err = provider.Down(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}
