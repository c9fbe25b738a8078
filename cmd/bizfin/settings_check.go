package main

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"bizfin/internal/seal"
	"bizfin/server/oauth"
	"bizfin/worker/aggregation"
)

// The settings a command can need.
const (
	needDatabase = iota
	needRedis
	needKeys
	needAudience
	needPublicURL
)

// rule is what must not be so of a setting, and what is said where it is. The first word is the setting's name.
type rule struct {
	broken bool
	says   string
}

// check validates what a command needs and names all problems together. No value is ever printed.
func (s *settings) check(needs ...int) error {
	rules := slices.Concat(s.limits(), s.signingIn(), s.network(), s.services())
	for _, need := range needs {
		rules = append(rules, s.needed(need))
	}
	problems := slices.Clone(s.unread)
	for _, r := range rules {
		name, _, _ := strings.Cut(r.says, " ")
		if r.broken && !slices.ContainsFunc(s.unread, func(u string) bool { return strings.HasPrefix(u, name+" ") }) {
			problems = append(problems, r.says)
		}
	}
	if len(problems) > 0 {
		return problems
	}
	s.PublicURL = strings.TrimRight(s.PublicURL, "/")
	return nil
}

func (s *settings) limits() []rule {
	return []rule{
		{s.RequestTimeout <= 0, "BIZFIN_REQUEST_TIMEOUT must be longer than nothing, such as 30s"},
		{s.PartnerTokenLifetime < 0, "BIZFIN_PARTNER_TOKEN_LIFETIME must be longer than nothing, such as 1h"},
		{s.OperatorPassword != "" && len(s.OperatorPassword) < leastPassword,
			fmt.Sprintf("BIZFIN_OPERATOR_PASSWORD must have at least %d characters; make one with: "+
				"openssl rand -base64 24", leastPassword)},
		{s.Workers < 0, "BIZFIN_WORKERS must be a number of businesses at a time, such as 4"},
		{s.KeepEnded < 0, "BIZFIN_KEEP_ENDED must be a duration such as 720h, or 0 for ever"},
		{s.KeepQuestions < 0, "BIZFIN_KEEP_QUESTIONS must be a duration such as 8760h, or 0 for ever"},
		{s.KeepAnswered < 0, "BIZFIN_KEEP_ANSWERED must be a duration such as 8760h, or 0 for ever"},
		{s.KeepAudit != 0 && s.KeepAudit < 720*time.Hour,
			"BIZFIN_KEEP_AUDIT must be a duration of at least 720h, or 0 for ever"},
		{s.KeepDeleted < 0, "BIZFIN_KEEP_DELETED must be a duration such as 720h, or 0 for ever"},
		{s.KeepDisconnected < 0, "BIZFIN_KEEP_DISCONNECTED must be a duration such as 8760h, or 0 for ever"},
		{s.FreeMonthly < 0, "BIZFIN_FREE_MONTHLY_TRANSACTIONS must not be negative"},
		{s.DatabaseConnections < 1, "BIZFIN_DATABASE_CONNECTIONS must be at least 1"},
		{s.NodeConnections < 0, "BIZFIN_NODE_CONNECTIONS must be at least 1"},
		{s.MemoryLimit < 64<<20, "BIZFIN_MEMORY_LIMIT must be at least 67108864 (64 MiB)"},
	}
}

func (s *settings) signingIn() []rule {
	issuers, err := oauth.ParseIssuers(s.OAuthIssuers)
	s.issuers = issuers
	return []rule{
		{err != nil,
			"BIZFIN_OAUTH_ISSUERS must list issuers as https://login.example.com, separated by commas (http on " +
				"loopback alone; add =URL where the keys are not as their metadata says)"},
		{slices.ContainsFunc(s.RedirectHosts, func(host string) bool { return !isHost(host) }),
			"BIZFIN_AGENT_REDIRECT_HOSTS must list hosts such as agents.example.com, separated by commas"},
		{s.SignIn && s.PublicURL != "" && !isSecure(s.PublicURL),
			"BIZFIN_SIGN_IN needs a BIZFIN_PUBLIC_URL with https, since people and secrets travel there (http on " +
				"loopback alone)"},
	}
}

func (s *settings) network() []rule {
	proxies, err := networksOf(s.Proxies)
	s.proxies = proxies
	return []rule{
		{err != nil, "BIZFIN_PROXIES must list networks such as 10.0.0.0/8, separated by commas"},
		{slices.ContainsFunc(s.CORSOrigins, func(origin string) bool { return !isOrigin(origin) }),
			"BIZFIN_CORS_ORIGINS must list origins such as https://app.example.com, separated by commas"},
		{s.Addr != "" && !canListen(s.Addr),
			"BIZFIN_ADDR must be a port such as :8080, or an address with one such as 127.0.0.1:8080"},
		{s.MetricsAddr != "" && !canListen(s.MetricsAddr),
			"BIZFIN_METRICS_ADDR must be a port such as :9090, or an address with one such as 127.0.0.1:9090"},
	}
}

// canListen is whether a listener takes the address, as far as its form shows.
func canListen(addr string) bool {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// services are others' that bizfin calls: those of bank data and of payment.
func (s *settings) services() []rule {
	banks := s.AggregationURL != ""
	together := banks == (s.AggregationClientID != "") && banks == (s.AggregationSecret != "")
	reached := !banks || aggregation.ParseURL(s.AggregationURL) == nil
	paid := s.StripeSecretKey != ""
	paidTogether := paid == (len(s.StripeWebhookSecret) > 0)
	return []rule{
		{!together, "BIZFIN_AGGREGATION_URL, BIZFIN_AGGREGATION_CLIENT_ID and BIZFIN_AGGREGATION_SECRET must be set " +
			"together, or none of them"},
		{together && !reached,
			"BIZFIN_AGGREGATION_URL must look like https://production.plaid.com (http on loopback alone)"},
		{together && reached && banks && s.AggregationInterval < time.Minute,
			"BIZFIN_AGGREGATION_INTERVAL must be at least 1m"},
		{!paidTogether, "BIZFIN_STRIPE_SECRET_KEY and BIZFIN_STRIPE_WEBHOOK_SECRET must be set together, or neither"},
		{paidTogether && paid && s.StripeInterval < time.Minute, "BIZFIN_STRIPE_INTERVAL must be at least 1m"},
		{slices.Contains(s.StripeWebhookSecret, ""),
			"BIZFIN_STRIPE_WEBHOOK_SECRET must be secrets separated by commas, none of them empty"},
		{s.StripeURL != "" && aggregation.ParseURL(s.StripeURL) != nil,
			"BIZFIN_STRIPE_URL must look like https://api.stripe.com (http on loopback alone)"},
	}
}

func (s *settings) needed(need int) rule {
	switch need {
	case needDatabase:
		return rule{!hasScheme(s.DatabaseURL, "postgres"),
			"BIZFIN_DATABASE_URL must look like postgres://user:password@host:5432/name"}
	case needRedis:
		return rule{!hasScheme(s.RedisURL, "redis"), "BIZFIN_REDIS_URL must look like redis://host:6379/0"}
	case needAudience:
		return rule{s.Audience == "", "BIZFIN_AUDIENCE must be the audience that partners sign"}
	case needPublicURL:
		u, err := url.Parse(s.PublicURL)
		return rule{err != nil || u.Host == "",
			"BIZFIN_PUBLIC_URL must be the address clients use, such as https://api.example.com"}
	case needKeys:
		keys, err := seal.ParseKeys(s.SecretKey)
		s.keys = keys
		return rule{err != nil, "BIZFIN_SECRET_KEY must be 32 bytes in base64, or several separated by commas; " +
			"make one with: openssl rand -base64 32"}
	default:
		panic(fmt.Sprint("a need that nobody checks: ", need))
	}
}

func hasScheme(address, scheme string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.HasPrefix(u.Scheme, scheme)
}

func isHost(host string) bool {
	u, err := url.Parse("https://" + host)
	return err == nil && host != "" && u.Host == host && host == strings.ToLower(host)
}

func isOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Scheme != "" && u.Host != "" && u.Scheme+"://"+u.Host == origin
}

// isSecure: secrets may travel to the address, with https or to this machine alone.
func isSecure(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || oauth.Loopback(u.Host))
}

func networksOf(texts []string) ([]*net.IPNet, error) {
	var networks []*net.IPNet
	for _, text := range texts {
		_, network, err := net.ParseCIDR(text)
		if err != nil {
			return nil, err
		}
		networks = append(networks, network)
	}
	return networks, nil
}
