package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// manifest is what the tests look at of a Kubernetes object; `make manifests` checks all of it.
type manifest struct {
	Kind     string
	Metadata struct{ Name, Namespace string }
	Data     map[string]string
	Spec     struct {
		Template struct {
			Spec struct {
				SecurityContext struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				Containers []container
			}
		}
	}
}

type container struct {
	Image   string
	Args    []string
	EnvFrom []struct {
		ConfigMapRef struct{ Name string } `yaml:"configMapRef"`
	} `yaml:"envFrom"`
	Env []struct {
		Name, Value string
		ValueFrom   struct {
			SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	}
	Ports []struct {
		Name          string
		ContainerPort int `yaml:"containerPort"`
	}
	Resources       struct{ Requests, Limits map[string]string }
	SecurityContext struct {
		AllowPrivilegeEscalation *bool                   `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool                    `yaml:"readOnlyRootFilesystem"`
		Capabilities             struct{ Drop []string } `yaml:"capabilities"`
	} `yaml:"securityContext"`
	Liveness  probe `yaml:"livenessProbe"`
	Readiness probe `yaml:"readinessProbe"`
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

func manifests(t *testing.T, file string) (list []manifest) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(deployed(t, "deploy", "kubernetes", file)))
	for {
		var m manifest
		err := decoder.Decode(&m)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		list = append(list, m)
	}
}

// environment is what a container gets, by the name of the setting: its value, or the secret it comes from.
func (c container) environment(shared map[string]string) map[string]string {
	all := map[string]string{}
	for _, from := range c.EnvFrom {
		if from.ConfigMapRef.Name == "bizfin" {
			for name, value := range shared {
				all[name] = value
			}
		}
	}
	for _, e := range c.Env {
		all[e.Name] = e.Value
		if secret := e.ValueFrom.SecretKeyRef; secret.Name != "" {
			all[e.Name] = "secret " + secret.Name + "/" + secret.Key
		}
	}
	return all
}

func TestKubernetesGivesEachPodWhatItNeeds(t *testing.T) {
	t.Parallel()
	shared := manifests(t, "settings.yaml")[0].Data
	for file, want := range map[string]struct{ args, kind, secret, live, ready string }{
		"migrate.yaml": {"migrate up --grant bizfin_program", "Job", "secret bizfin-owner/database-url", "", ""},
		"api.yaml":     {"serve", "Deployment", "secret bizfin/database-url", "http /healthz", "http /readyz"},
		"worker.yaml":  {"work", "Deployment", "secret bizfin/database-url", "metrics /healthz", ""},
	} {
		m := manifests(t, file)[0]
		pod := m.Spec.Template.Spec
		if m.Kind != want.kind || len(pod.Containers) != 1 || !pod.SecurityContext.RunAsNonRoot {
			t.Fatalf("%s begins with %+v", file, m)
		}
		c := pod.Containers[0]
		if args := strings.Join(c.Args, " "); args != want.args {
			t.Errorf("%s runs %q", file, args)
		}
		if found, flags, err := root().Find(c.Args); err != nil || found.ParseFlags(flags) != nil || !found.Runnable() {
			t.Errorf("%s: %v is no command of this program: %v", file, c.Args, err)
		}
		s := c.SecurityContext
		if !s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
			!slices.Equal(s.Capabilities.Drop, []string{"ALL"}) {
			t.Errorf("%s may do more than it needs: %+v", file, s)
		}
		if c.Resources.Limits["memory"] == "" || c.Resources.Requests["cpu"] == "" {
			t.Errorf("%s may take everything", file)
		}
		environment := c.environment(shared)
		if environment["BIZFIN_DATABASE_URL"] != want.secret {
			t.Errorf("%s has its database from %q", file, environment["BIZFIN_DATABASE_URL"])
		}
		for _, s := range described() {
			needs := strings.Split(s.Required, ", ")
			if value := environment[s.Name]; slices.Contains(needs, "all") || slices.Contains(needs, c.Args[0]) {
				secret := strings.HasPrefix(value, "secret ")
				if value == "" || !secret && strings.HasSuffix(s.Name, "_KEY") {
					t.Errorf("%s has %s from %q", file, s.Name, value)
				}
			}
		}
		probed := func(p probe) string { return strings.TrimSpace(p.HTTPGet.Port + " " + p.HTTPGet.Path) }
		if probed(c.Liveness) != want.live || probed(c.Readiness) != want.ready {
			t.Errorf("%s is asked at %q and %q", file, probed(c.Liveness), probed(c.Readiness))
		}
	}
}
