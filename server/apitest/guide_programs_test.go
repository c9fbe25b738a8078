package apitest

import (
	"bytes"
	"encoding/json"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bizfin/server"
	"bizfin/server/validate"
	"bizfin/store/storetest"
)

// The guides are texts with programs in them: a block with file=NAME is one that prints something. What is pasted into
// a shell is run by the tests of cmd/bizfin.

// snippet is a block of code of a guide.
type snippet struct{ language, info, text string }

var fence = regexp.MustCompile("(?ms)^```([a-z]+)([^\n]*)\n(.*?)^```$")

func snippets(t *testing.T, guide string) (list []snippet) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "guides", guide+".md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range fence.FindAllStringSubmatch(string(text), -1) {
		list = append(list, snippet{language: found[1], info: strings.TrimSpace(found[2]), text: found[3]})
	}
	return list
}

// program is the block of a guide that has a name.
func program(t *testing.T, guide, file string) string {
	t.Helper()
	for _, s := range snippets(t, guide) {
		if s.info == "file="+file {
			return s.text
		}
	}
	t.Fatalf("the guide %s has no %s", guide, file)
	return ""
}

// runner is how a program of a language is started. Where it is not installed the test is skipped, but not by make
// clients, which promises to run them all.
func runner(t *testing.T, file string) []string {
	t.Helper()
	find := func(name string) string {
		at, err := osexec.LookPath(name)
		if err != nil && os.Getenv(generatorsFolder) != "" {
			t.Fatalf("no %s here: install it", name)
		}
		if err != nil {
			t.Skipf("no %s here", name)
		}
		return at
	}
	switch filepath.Ext(file) {
	case ".go":
		return append([]string{find("go"), "run"}, storetest.BuiltWith()...)
	case ".py":
		return []string{find("python3")}
	}
	if folder := os.Getenv(generatorsFolder); folder != "" {
		return []string{nodeOf(t, folder), "--no-warnings"}
	}
	node := find("node")
	if err := osexec.Command(node, "-e", "process.exit(process.features.typescript ? 0 : 1)").Run(); err != nil {
		t.Skip("this node runs no TypeScript")
	}
	return []string{node, "--no-warnings"}
}

// printed runs a program of a guide with settings in the environment and returns what it prints.
func printed(t *testing.T, guide, file string, settings ...string) string {
	t.Helper()
	start := runner(t, file)
	folder := t.TempDir()
	if strings.HasSuffix(file, ".ts") { // modules, as in a project of today
		file = strings.TrimSuffix(file, ".ts") + ".mts"
	}
	if err := os.WriteFile(filepath.Join(folder, file), []byte(program(t, guide,
		strings.Replace(file, ".mts", ".ts", 1))), 0o600); err != nil {
		t.Fatal(err)
	}
	command := osexec.CommandContext(t.Context(), start[0], append(start[1:], file)...)
	command.Dir, command.Env = folder, append(os.Environ(), settings...)
	command.Env = append(command.Env, "GOFLAGS=", "GO111MODULE=on")
	var failed bytes.Buffer
	command.Stderr = &failed
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", file, err, failed.String())
	}
	return strings.TrimSpace(string(out))
}

// The whole of what a partner writes, run as it stands.
func TestTheProgramOfTheGuideSignsPeopleIn(t *testing.T) {
	t.Parallel()
	const file = "agent-sign-in.py"
	start := runner(t, file)
	if lines := strings.Count(program(t, "agent-sign-in", file), "\n"); lines >= 40 {
		t.Errorf("a partner writes %d lines", lines)
	}
	s := startSignIn(t, wallClock)
	at := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(at, []byte(program(t, "agent-sign-in", file)), 0o600); err != nil {
		t.Fatal(err)
	}
	page := started(t, []string{"PORT=0", "BIZFIN_URL=" + s.url, "BIZFIN_PARTNER_ID=" + s.partner,
		"BIZFIN_PARTNER_SECRET=" + string(s.secret),
		"BIZFIN_AUDIENCE=" + audience}, start[0], at)
	if err := s.db.SetSignIn(t.Context(), time.Now(), s.partner, page.line()); err != nil {
		t.Fatal(err)
	}
	client := s.register()
	got := s.token(redeeming(client, s.agree(client))).want(200)
	s.rpc(bearing(got.text("access_token")), "tools/list", M{}).want(200)
}

// wallClock makes the server's clock the machine's, for programs that sign by it.
func wallClock(c *server.Config) { c.Now = time.Now }

func TestProgramsOfTheGuideSignTokensThatAreTaken(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"sign.go", "sign.ts", "sign.py"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			runner(t, file) // skips before a server starts
			a := start(t, wallClock)
			signed := printed(t, "signing-tokens", file, "BIZFIN_PARTNER_ID="+a.partner,
				"BIZFIN_PARTNER_SECRET="+string(a.secret), "BIZFIN_AUDIENCE="+audience)
			connected := a.as(signed).post("/auth/partner", nil).want(200)
			connected.wantAt("owner", "organizations", 0, "role")
			profile := a.as(signed).get("/organizations/" + connected.text("organization_id") + "/profile").want(200)
			profile.wantAt("Ana's Bakery", "organization", "name")
		})
	}
}

func TestProgramsOfTheGuideSendSnapshotsThatAreTaken(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"webhook.go", "webhook.ts", "webhook.py"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			runner(t, file)
			h := startHook(t)
			got := printed(t, "webhook", file, "WEBHOOK_URL="+h.url+"/webhooks/"+h.partner+"/accounts",
				"WEBHOOK_SECRET="+string(h.secret))
			var receipt M
			if err := json.Unmarshal([]byte(got), &receipt); err != nil || receipt["received"] != true {
				t.Errorf("it prints %s", got)
			}
		})
	}
}

func TestProgramsOfTheGuideRetry(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"retry.go", "retry.ts", "retry.py"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			runner(t, file)
			a := shared(t)
			through := a.behindGateway(2)
			got := printed(t, "retries", file, "API="+through.url+server.BasePath, "PARTNER="+a.partner,
				"TOKEN="+a.sign("ana", business("b", "owner")))
			if got != "200 OK" || through.failed != 2 {
				t.Errorf("it prints %q after %d failures", got, through.failed)
			}
		})
	}
}

// Every code the service gives is explained to partners.
func TestTheGuideExplainsEveryCode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/guides/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{
		validate.CodeRequired, validate.CodeType, validate.CodeNullable, validate.CodeEnum, validate.CodePattern,
		validate.CodeFormat, validate.CodeMinLength,
		validate.CodeMaxLength, validate.CodeMinItems, validate.CodeMaxItems, validate.CodeMinimum,
		validate.CodeMaximum, validate.CodeAdditionalProperties,
		validate.CodeDecimal, validate.CodeDuplicate, validate.CodeUnknown, validate.CodeRepeated,
		validate.CodeTruncated,
	} {
		if !bytes.Contains(text, []byte("`"+code+"`")) {
			t.Errorf("%s is not explained", code)
		}
	}
}
