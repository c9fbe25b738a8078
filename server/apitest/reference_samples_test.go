package apitest

import (
	"html"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bizfin/internal/partnertoken"
	"bizfin/server"
	"bizfin/store/storetest"
)

// The samples of the reference are taken from the page itself and run, all of a language in one program, those that
// delete last.

// samplesOf are the samples of a language by operation, and under "samples" what they begin with.
func samplesOf(t *testing.T, a *api, language string) map[string]string {
	t.Helper()
	page := string(a.fetch("/api/v1/docs/").want(200).body)
	found := map[string]string{}
	for _, part := range sampled.FindAllStringSubmatch(page, -1) {
		block := regexp.MustCompile(`(?s)<div class="code" data-language="` + language + `"><pre><code>(.*?)</code>`)
		if code := block.FindStringSubmatch(part[2]); code != nil {
			found[part[1]] = html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(code[1], ""))
		}
	}
	if len(found) != len(operations)+1 {
		t.Fatalf("the page has %d samples in %s", len(found), language)
	}
	return found
}

var sampled = regexp.MustCompile(`(?s)<(?:article|section) id="(\w+)"[^>]*>(.*?)</(?:article|section)>`)

// inOrder lists the operations so that each finds what it needs. The webhook's samples are those of its guide.
func inOrder(samples map[string]string) (list []string) {
	for name := range samples {
		if name != "samples" && name != "receiveAccountSnapshot" {
			list = append(list, name)
		}
	}
	place := func(name string) int {
		return slices.IndexFunc([]string{"", "deleteTransaction", "deleteAccount"},
			func(last string) bool { return last == name })
	}
	slices.SortFunc(list, func(a, b string) int {
		if places := place(a) - place(b); places != 0 {
			return places
		}
		return strings.Compare(a, b)
	})
	return list
}

// sampleBusiness is a business with one of everything, and the environment that the samples ask for.
func sampleBusiness(t *testing.T) (a *api, environment []string) {
	t.Helper()
	h := startHook(t, wallClock) // clients sign by the machine's clock
	one := business("biz-1", "owner")
	one.Name = "Ana's Bakery"
	o := h.join("user-1", one)
	ids := o.furnish()
	return h.api, append(os.Environ(),
		"API="+h.url+server.BasePath, "PARTNER="+h.partner, "TOKEN="+h.signPayload("user-1", partnertoken.Payload{
			BusinessID: &one.ID, Businesses: []partnertoken.Business{one}}),
		"BIZFIN_PARTNER_ID="+h.partner, "BIZFIN_AUDIENCE="+audience, "BIZFIN_PARTNER_SECRET="+
			string(h.secretOfTokens()),
		"ORG="+o.organization, "SOURCE="+ids.source, "ACCOUNT="+ids.account, "TRANSACTION="+ids.transaction,
		"COUNTERPARTY="+ids.counterparty, "ISSUE=t:"+ids.transaction,
		"WEBHOOK_URL="+h.url+"/webhooks/"+h.partner+"/accounts", "WEBHOOK_SECRET="+string(h.secret),
		"GOFLAGS=-mod=mod")
}

// secretOfTokens is the partner's, which the webhook's secret hides.
func (h *hook) secretOfTokens() []byte { return h.api.secret }

// prints runs a program and holds what it prints against how often something has to be in it.
func prints(t *testing.T, folder string, environment []string, times int, want string, program ...string) {
	t.Helper()
	command := osexec.CommandContext(t.Context(), program[0], program[1:]...)
	command.Dir, command.Env = folder, environment
	printed, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	if strings.Contains(string(printed), `"error"`) || strings.Count(string(printed), want) != times {
		t.Errorf("%q is not in it %d times: %s", want, times, printed)
	}
}

func TestSamplesInCurlRun(t *testing.T) {
	t.Parallel()
	a, environment := sampleBusiness(t)
	samples := samplesOf(t, a, "bash")
	script := []string{"set -euo pipefail"}
	for _, name := range append(inOrder(samples), "receiveAccountSnapshot") {
		script = append(script, strings.Replace(samples[name], "curl ", `curl -w '\n=%{http_code} `+name+`\n' `, 1))
	}
	prints(t, t.TempDir(), environment, len(samples)-1, "\n=200 ", "bash", "-c", strings.Join(script, "\n"))
}

func TestSamplesInPythonRun(t *testing.T) {
	t.Parallel()
	python := runner(t, "sample.py")
	a, environment := sampleBusiness(t)
	samples := samplesOf(t, a, "python")
	program := []string{samples["samples"]}
	for _, name := range inOrder(samples) {
		program = append(program, samples[name], `print("was answered:", len(answer) > 0)`)
	}
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, "sample.py"), strings.Join(program, "\n"))
	prints(t, folder, environment, len(samples)-2, "was answered: True", append(python, "sample.py")...)
}

func TestSamplesInGoRun(t *testing.T) {
	t.Parallel()
	a, environment := sampleBusiness(t)
	samples := samplesOf(t, a, "go")
	var program []string
	for _, name := range inOrder(samples) {
		program = append(program, "{\n"+samples[name]+"\n}")
	}
	client, err := filepath.Abs("../../clients/go")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, "main.go"),
		strings.Replace(samples["samples"], "// the sample of an operation", strings.Join(program, "\n"), 1))
	writeFile(t, filepath.Join(folder, "go.sum"), read(t, filepath.Join(client, "go.sum")))
	own := regexp.MustCompile(`(?s)\nrequire .*`).FindString(read(t, filepath.Join(client, "go.mod")))
	writeFile(t, filepath.Join(folder, "go.mod"),
		"module partner\n\ngo 1.26.0\n\nrequire bizfin.example/client v0.0.0\n"+
			"replace bizfin.example/client => "+client+"\n"+own)
	prints(t, folder, environment, len(samples)-2, "200 OK ", append(append([]string{"go", "run"},
		storetest.BuiltWith()...), ".")...)
}

// TestAClientOfThePackageRunsTheSamples is run by make clients, which has the package and Node.
func TestAClientOfThePackageRunsTheSamples(t *testing.T) {
	t.Parallel()
	w := openWorkshop(t)
	w.installPackage()
	a, environment := sampleBusiness(t)
	samples := samplesOf(t, a, "ts")
	program := []string{samples["samples"]}
	for _, name := range inOrder(samples) {
		program = append(program, "{\n"+samples[name]+
			"\nconsole.log(\"was answered:\", Object.keys(answer).length > 0);\n}")
	}
	w.bring("tsconfig.json")
	w.write("samples.ts", strings.Join(program, "\n"))
	w.node("typescript/bin/tsc", "--project", ".")
	prints(t, w.folder, environment, len(samples)-2, "was answered: true", nodeOf(t, filepath.Dir(w.tools)),
		"out/samples.js")
}

func writeFile(t *testing.T, at, text string) {
	t.Helper()
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
