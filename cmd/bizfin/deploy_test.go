package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func deployed(t *testing.T, file ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, file...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// alertExpressions are those of deploy/alerts.yaml by the names of the alerts.
func alertExpressions(t *testing.T) map[string]string {
	t.Helper()
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal([]byte(deployed(t, "deploy", "alerts.yaml")), &rules); err != nil {
		t.Fatal(err)
	}
	exprs := map[string]string{}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			exprs[rule.Alert] = rule.Expr
		}
	}
	return exprs
}

var settingName = regexp.MustCompile(`\bBIZFIN_[A-Z_]+`)

func TestDeploymentsNameSettingsThatExist(t *testing.T) {
	t.Parallel()
	var known []string
	for _, s := range described() {
		if s.Meaning == "" || s.fallback("") == "" {
			t.Errorf("%s is not described", s.Name)
		}
		known = append(known, s.Name)
	}
	for _, file := range [][]string{{"deploy", "compose.yaml"}, {"deploy", "kubernetes", "settings.yaml"},
		{"deploy", "kubernetes", "api.yaml"}, {"deploy", "kubernetes", "worker.yaml"},
		{"deploy", "kubernetes", "migrate.yaml"}, {"deploy", "Dockerfile"}, {"deploy", "alerts.yaml"},
		{"docs", "operations.md"}} {
		for _, name := range settingName.FindAllString(deployed(t, file...), -1) {
			if !slices.Contains(known, name) && !strings.HasPrefix(name, "BIZFIN_TEST_") {
				t.Errorf("%s names %s, which is no setting", file, name)
			}
		}
	}
}

func TestComposeGivesEachServiceWhatItNeeds(t *testing.T) {
	t.Parallel()
	var compose struct {
		Services map[string]struct {
			Command     []string
			Environment map[string]string
			ReadOnly    bool   `yaml:"read_only"`
			MemLimit    string `yaml:"mem_limit"`
			Networks    []string
			Ports       []string
			Healthcheck struct{ Test []string }
		}
		Networks map[string]struct{ Internal bool }
	}
	if err := yaml.Unmarshal([]byte(deployed(t, "deploy", "compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	for service, command := range map[string]string{"migrate": "migrate up --grant bizfin_program", "api": "serve",
		"worker": "work"} {
		got := compose.Services[service]
		if run := strings.Join(got.Command, " "); run != command {
			t.Errorf("%s runs %q, want %q", service, run, command)
		}
		found, flags, err := root().Find(got.Command)
		if err == nil {
			err = found.ParseFlags(flags)
		}
		if err != nil || !found.Runnable() {
			t.Errorf("%s: %v is no command of this program: %v", service, got.Command, err)
		}
		role := "bizfin_program"
		if service == "migrate" {
			role = "bizfin_owner"
		}
		if !strings.HasPrefix(got.Environment["BIZFIN_DATABASE_URL"], "postgres://"+role+":") {
			t.Errorf("%s is another role than %s in the database", service, role)
		}
		for _, s := range described() {
			if strings.Contains(s.Required, "all") || slices.Contains(strings.Split(s.Required, ", "), got.Command[0]) {
				if got.Environment[s.Name] == "" {
					t.Errorf("%s lacks %s", service, s.Name)
				}
			}
		}
		if !got.ReadOnly {
			t.Errorf("%s may write to its image", service)
		}
	}
	for name, service := range compose.Services {
		if service.MemLimit == "" {
			t.Errorf("%s may take all memory", name)
		}
		for _, network := range service.Networks {
			if _, ok := compose.Networks[network]; !ok {
				t.Errorf("%s is in the network %s, which there is not", name, network)
			}
		}
		for _, port := range service.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s is open to everybody at %s", name, port)
			}
		}
	}
	for _, name := range []string{"postgres", "redis"} {
		if in := compose.Services[name].Networks; len(in) != 1 || !compose.Networks[in[0]].Internal {
			t.Errorf("%s is in %v, and not in an internal network alone", name, in)
		}
	}
	for service, variable := range map[string]string{"postgres": "POSTGRES_PASSWORD", "redis": "REDISCLI_AUTH",
		"grafana": "GF_SECURITY_ADMIN_PASSWORD"} {
		if !strings.Contains(compose.Services[service].Environment[variable], ":?") {
			t.Errorf("%s starts without a password of its own", service)
		}
	}
	worker := compose.Services["worker"]
	address := worker.Environment["BIZFIN_METRICS_ADDR"]
	if !strings.Contains(strings.Join(worker.Healthcheck.Test, " "), address+"/healthz") {
		t.Errorf("the worker serves %s and is asked elsewhere", address)
	}
}

// The table is made from the settings themselves: go run ./cmd/bizfin settings --markdown.
func TestTheDocumentedSettingsAreTheProgramsOwn(t *testing.T) {
	t.Parallel()
	_, rest, begins := strings.Cut(deployed(t, "docs", "operations.md"), tableBegins+"\n")
	table, _, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatal("docs/operations.md has no table of settings between its two lines")
	}
	var want bytes.Buffer
	if err := writeMarkdown(&want, described()); err != nil {
		t.Fatal(err)
	}
	if table != want.String() {
		t.Errorf("the table of docs/operations.md is stale; it should be\n%s", want.String())
	}
}
