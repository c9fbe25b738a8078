package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"bizfin/internal/seal"
	"bizfin/server"
	"bizfin/server/oauth"
	"bizfin/worker/aggregation"
	"bizfin/worker/payments"
)

// settings come from the environment; `bizfin dev` fills the ones it keeps itself. The tag `meaning` is their
// documentation (settings_table.go), `required` names the commands that cannot do without, and `unset` says what
// leaving one out means.
type settings struct {
	DatabaseURL          string        `env:"BIZFIN_DATABASE_URL" required:"all" meaning:"PostgreSQL 14 or newer in UTF-8, with the extensions pg_trgm and btree_gin: postgres://user:password@host:5432/name; of several, host:5432,host:5432, the one that is no standby"`
	DatabaseConnections  int           `env:"BIZFIN_DATABASE_CONNECTIONS" envDefault:"16" meaning:"the most database connections of one process"`
	NodeConnections      int           `env:"BIZFIN_NODE_CONNECTIONS" envDefault:"8" meaning:"where the database is spread over several nodes, the most connections of one process to each of them that read, and of its database connections the most that wait for one of them"`
	RedisURL             string        `env:"BIZFIN_REDIS_URL" required:"serve, work" meaning:"Redis: redis://, rediss://, redis-sentinel:// or redis-cluster://"`
	Addr                 string        `env:"BIZFIN_ADDR" envDefault:":8080" meaning:"where the API listens"`
	MetricsAddr          string        `env:"BIZFIN_METRICS_ADDR" unset:"no listener of its own" meaning:"where /metrics and /healthz are served apart, such as :9090, and with the API its queue console; unset, the API serves all at its own address and a worker none"`
	PublicURL            string        `env:"BIZFIN_PUBLIC_URL" required:"serve, partner create" meaning:"the address clients use, such as https://api.example.com"`
	Audience             string        `env:"BIZFIN_AUDIENCE" required:"serve, token partner" meaning:"the audience that partners sign"`
	PartnerTokenLifetime time.Duration `env:"BIZFIN_PARTNER_TOKEN_LIFETIME" unset:"any" meaning:"how far ahead the exp of a partner token may lie, such as 1h"`
	SecretKey            string        `env:"BIZFIN_SECRET_KEY" required:"serve, work, partner, token partner" meaning:"seals secrets in the database: 32 bytes in base64; several, separated by commas, while rotating: the first seals, all open"`
	FreeMonthly          int64         `env:"BIZFIN_FREE_MONTHLY_TRANSACTIONS" envDefault:"1000" meaning:"new transactions of a business that are categorized a month without the tier paid"`
	Workers              int           `env:"BIZFIN_WORKERS" unset:"one for each core" meaning:"businesses that a worker processes at a time"`
	RequestTimeout       time.Duration `env:"BIZFIN_REQUEST_TIMEOUT" envDefault:"30s" meaning:"what a request may take"`
	MemoryLimit          int64         `env:"BIZFIN_MEMORY_LIMIT" envDefault:"201326592" meaning:"bytes of memory that the garbage collector of the API aims at"`
	OperatorPassword     string        `env:"BIZFIN_OPERATOR_PASSWORD" unset:"no console" meaning:"shows the queues at /queues to whoever knows it; at least 16 characters"`
	// see oauth.ParseIssuers
	OAuthIssuers        string        `env:"BIZFIN_OAUTH_ISSUERS" unset:"none" meaning:"OAuth issuers whose access tokens are taken, separated by commas; see the guide for agents"`
	SignIn              bool          `env:"BIZFIN_SIGN_IN" envDefault:"false" meaning:"true: people let agents in by themselves, signed in by partners with a sign-in address; see the guide to agent sign-in"`
	RedirectHosts       []string      `env:"BIZFIN_AGENT_REDIRECT_HOSTS" unset:"those of well-known programs" meaning:"hosts that people may be sent back to after a sign-in, beside those of well-known programs, separated by commas"`
	Proxies             []string      `env:"BIZFIN_PROXIES" unset:"none" meaning:"networks of the proxies before the API, such as 10.0.0.0/8, separated by commas: their X-Forwarded-For says whose limits count for a sign-in"`
	CORSOrigins         []string      `env:"BIZFIN_CORS_ORIGINS" unset:"none" meaning:"origins whose pages may call /mcp from a browser, separated by commas"`
	AggregationURL      string        `env:"BIZFIN_AGGREGATION_URL" unset:"bank tokens are not used" meaning:"the bank-aggregation provider, such as https://production.plaid.com; see the guide to the webhook"`
	AggregationClientID string        `env:"BIZFIN_AGGREGATION_CLIENT_ID" unset:"none" meaning:"the provider's name for this service; set together with its address"`
	AggregationSecret   string        `env:"BIZFIN_AGGREGATION_SECRET" unset:"none" meaning:"the provider's secret for this service; set together with its address"`
	AggregationInterval time.Duration `env:"BIZFIN_AGGREGATION_INTERVAL" envDefault:"1h" meaning:"between two syncs of a bank token, at least 1m"`
	KeepEnded           time.Duration `env:"BIZFIN_KEEP_ENDED" envDefault:"720h" meaning:"how long webhook snapshots are kept after they were applied or skipped, and tokens after they expired or were revoked; 0 for ever"`
	KeepQuestions       time.Duration `env:"BIZFIN_KEEP_QUESTIONS" envDefault:"8760h" meaning:"how long questions are kept that closed by themselves, that nobody answered and no row is left of; 0 for ever"`
	KeepAnswered        time.Duration `env:"BIZFIN_KEEP_ANSWERED" envDefault:"0" meaning:"how long questions are kept after they were answered; the answers and what they decided stay; 0 for ever"`
	StripeSecretKey     string        `env:"BIZFIN_STRIPE_SECRET_KEY" unset:"subscriptions are not synced" meaning:"a key of the payment processor that may read customers and subscriptions; see Billing"`
	StripeWebhookSecret []string      `env:"BIZFIN_STRIPE_WEBHOOK_SECRET" unset:"none" meaning:"what the processor signs its events with; several, separated by commas, while they change; set together with its key"`
	StripeInterval      time.Duration `env:"BIZFIN_STRIPE_INTERVAL" envDefault:"24h" meaning:"between two comparisons of all customers of the processor, at least 1m"`
	StripeURL           string        `env:"BIZFIN_STRIPE_URL" unset:"the processor's own" meaning:"another address of the processor's API, for trying it out"`
	KeepAudit           time.Duration `env:"BIZFIN_KEEP_AUDIT" envDefault:"17520h" meaning:"how long the record of who did what is kept, at least 720h; 0 for ever"`
	KeepDeleted         time.Duration `env:"BIZFIN_KEEP_DELETED" envDefault:"720h" meaning:"how long what a transaction held is kept after it was deleted; its id and that it is deleted stay; 0 for ever"`
	KeepDisconnected    time.Duration `env:"BIZFIN_KEEP_DISCONNECTED" envDefault:"0" meaning:"how long a partner's business is kept that nobody is connected to any more, before it is erased; 0 for ever"`
	LogLevel            slog.Level    `env:"BIZFIN_LOG_LEVEL" envDefault:"INFO" meaning:"DEBUG, INFO, WARN or ERROR"`

	keys    seal.Keyring
	issuers []oauth.Issuer
	proxies []*net.IPNet
	unread  settingsError // what check tells together with the rest
}

// readSettings reads the environment. What is unset there is taken from a development stack in this folder, if there
// is one, and that is said on notes. Settings that cannot be read are told by check, so that all problems are told at
// once.
func readSettings(notes io.Writer) (settings, error) {
	var s settings
	err := env.Parse(&s)
	s.fillFromDevFile(notes)
	var unread settingsError
	if err = readable(err); errors.As(err, &unread) {
		s.unread, err = unread, nil
	}
	return s, err
}

// settingsError is all that is wrong with the settings; each problem begins with the name of its variable.
type settingsError []string

func (e settingsError) Error() string {
	return "the settings need attention:\n  " + strings.Join(e, "\n  ") +
		"\n  \"bizfin doctor\" checks them and what they lead to."
}

// readable names the settings that could not be read, without their values.
func readable(err error) error {
	if err == nil {
		return nil
	}
	var all env.AggregateError
	if !errors.As(err, &all) {
		return errors.New("the environment could not be read")
	}
	var problems settingsError
	for _, one := range all.Errors {
		var parse env.ParseError
		if errors.As(one, &parse) {
			field, _ := reflect.TypeFor[settings]().FieldByName(parse.Name)
			problems = append(problems, fmt.Sprintf("%s must be %s", field.Tag.Get("env"), formOf(field.Type)))
		}
	}
	return problems
}

// formOf says how a value of a type is written.
func formOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return "a duration such as 30s"
	case reflect.TypeFor[slog.Level]():
		return "DEBUG, INFO, WARN or ERROR"
	case reflect.TypeFor[bool]():
		return "true or false"
	default:
		return "a whole number"
	}
}

// fillFromDevFile uses what `bizfin dev` keeps in this folder.
func (s *settings) fillFromDevFile(notes io.Writer) {
	dev, err := readDevFile(devFolder)
	if err != nil {
		return
	}
	var used []string
	fill := func(name string, setting *string, value string) {
		if *setting == "" && value != "" {
			*setting = value
			used = append(used, name)
		}
	}
	fill("BIZFIN_DATABASE_URL", &s.DatabaseURL, dev.DatabaseURL)
	fill("BIZFIN_REDIS_URL", &s.RedisURL, dev.RedisURL)
	fill("BIZFIN_PUBLIC_URL", &s.PublicURL, dev.BaseURL)
	fill("BIZFIN_AUDIENCE", &s.Audience, dev.Audience)
	fill("BIZFIN_SECRET_KEY", &s.SecretKey, dev.SecretKey)
	if len(used) > 0 {
		fmt.Fprintf(notes, "bizfin: using %s for %s\n", devFile(devFolder), strings.Join(used, ", "))
	}
}

// accessTokens verifies the tokens of the issuers, where there are any.
func (s *settings) accessTokens(log *slog.Logger) *oauth.Verifier {
	if len(s.issuers) == 0 {
		return nil
	}
	return oauth.New(oauth.Config{Issuers: s.issuers, Audiences: server.Audiences(s.PublicURL), Log: log})
}

// signIn is how people let agents in, where that is turned on.
func (s *settings) signIn() *server.SignIn {
	if !s.SignIn {
		return nil
	}
	return &server.SignIn{RedirectHosts: s.RedirectHosts}
}

// aggregation asks the bank-aggregation provider, where there is one.
func (s *settings) aggregation() *aggregation.Client {
	if s.AggregationURL == "" {
		return nil
	}
	return aggregation.New(aggregation.Config{URL: s.AggregationURL, ClientID: s.AggregationClientID,
		Secret: s.AggregationSecret})
}

// payments asks the payment processor, where there is one.
func (s *settings) payments() *payments.Client {
	if s.StripeSecretKey == "" {
		return nil
	}
	return payments.New(s.StripeURL, s.StripeSecretKey)
}

func (s *settings) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: s.LogLevel}))
}
