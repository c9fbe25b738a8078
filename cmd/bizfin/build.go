package main

import (
	"fmt"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// What the linker sets where the build has no version control: -ldflags "-X main.release=v1.2.3 -X main.revision=…".
var release, revision string

// build is what the program was built from.
type build struct {
	release  string // empty where it has none
	revision string // the commit, with +changes where the tree had any
	compiler string
}

func thisBuild() build {
	b := build{release: release, revision: revision, compiler: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if ok {
		b.compiler = info.GoVersion
	}
	if b.revision != "" || !ok {
		return b
	}
	b.revision = "unknown"
	changes := ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			b.revision = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			changes = "+changes"
		}
	}
	b.revision += changes
	return b
}

// version is the release or the commit the program was built from.
func version() string {
	b := thisBuild()
	if b.release != "" {
		return fmt.Sprintf("bizfin %s (%s)", b.release, b.compiler)
	}
	return fmt.Sprintf("bizfin %s (%s)", b.revision, b.compiler)
}

// buildInfo is 1, with what the program was built from in its labels.
func buildInfo() prometheus.Collector {
	b := thisBuild()
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "bizfin_build_info",
		Help:        "1; the labels say what the program was built from.",
		ConstLabels: prometheus.Labels{"version": b.release, "revision": b.revision, "goversion": b.compiler},
	}, func() float64 { return 1 })
}
