package main

import (
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"bizfin/server"
)

// settings checks each setting, and returns them with the names of those that are of no use.
func (d *diagnosis) settings(notes io.Writer) (settings, map[string]bool) {
	s, unread := readSettings(notes)
	bad := map[string]bool{}
	if s.DatabaseURL == "" && s.RedisURL == "" && s.SecretKey == "" {
		d.warn("settings", "start \"make run\" here, which makes its own, or export those that are missing",
			"nothing is set, and no bizfin was started in this folder")
	}
	for _, err := range []error{unread, s.check(needDatabase, needRedis, needKeys, needAudience, needPublicURL)} {
		var problems settingsError
		if !errors.As(err, &problems) {
			if err != nil {
				d.problem("settings", "", "%s", err)
			}
			continue
		}
		for _, problem := range problems {
			name, rule, _ := strings.Cut(problem, " ")
			if bad[name] {
				continue
			}
			bad[name] = true
			if strings.HasPrefix(rule, "must") && os.Getenv(name) == "" {
				problem = name + " is not set; it " + rule
			}
			d.problem("settings", settingAdvice(name), "%s", problem)
		}
	}
	if unknown := unknownSettings(os.Environ()); len(unknown) > 0 {
		d.warn("settings", "see bizfin settings for those there are, and unset what is none", "%s: no such setting",
			strings.Join(unknown, ", "))
	}
	if len(bad) == 0 && unread == nil {
		d.ok("settings", "all that are needed are there and well-formed")
	}
	if !bad["BIZFIN_PUBLIC_URL"] {
		d.publicURL(s.PublicURL)
	}
	return s, bad
}

// ofTests are variables of the tests and benchmarks of this repository.
var ofTests = regexp.MustCompile(`^BIZFIN_(TEST|BENCH|EVAL|BOOK)`)

// unknownSettings are the variables of an environment that look like settings and are none: nobody reads them, and
// nobody would say so. Those of tests, and of the command line's own, are let be.
func unknownSettings(environment []string) []string {
	known := map[string]bool{callersToken: true}
	for _, s := range described() {
		known[s.Name] = true
	}
	var unknown []string
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "BIZFIN_") && !ofTests.MatchString(name) && !known[name] {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// settingAdvice says how to come by a setting that is needed.
func settingAdvice(name string) string {
	switch name {
	case "BIZFIN_SIGN_IN":
		return "serve the API by https and set BIZFIN_PUBLIC_URL, or unset BIZFIN_SIGN_IN"
	case "BIZFIN_SECRET_KEY":
		return "keep it well: what one key seals, no other opens"
	case "BIZFIN_DATABASE_URL", "BIZFIN_REDIS_URL", "BIZFIN_PUBLIC_URL", "BIZFIN_AUDIENCE":
		return "export " + name + "=…"
	default:
		return "correct it, or unset it for its default"
	}
}

// publicURL looks at the address that clients are told. Tokens travel with every request to it.
func (d *diagnosis) publicURL(address string) {
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	ip := net.ParseIP(u.Hostname())
	loopback := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		d.problem("public url", "set BIZFIN_PUBLIC_URL to something like https://api.example.com",
			"BIZFIN_PUBLIC_URL is not a plain http or https address")
	case strings.HasSuffix(u.Path, server.BasePath):
		d.problem("public url", "leave "+server.BasePath+" out of BIZFIN_PUBLIC_URL; it is added",
			"BIZFIN_PUBLIC_URL ends with the path of the API")
	case u.Scheme == "http" && !loopback:
		d.warn("public url", "use https: tokens travel with every request", "%s is not encrypted", address)
	case loopback:
		d.ok("public url", "%s, which only this machine reaches", address)
	default:
		d.ok("public url", "%s", address)
	}
}
