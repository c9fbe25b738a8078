// Package server is the HTTP edge: it finds out who is calling, judges what they sent by the OpenAPI document, makes
// one call into the store, and translates the answer. Its handlers satisfy the interface generated from the document.
package server

import (
	"context"
	"log/slog"
	"net"
	"regexp"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"bizfin/gen/api"
	"bizfin/internal/seal"
	"bizfin/server/agentclient"
	"bizfin/server/limit"
	"bizfin/server/mcp"
	"bizfin/server/oauth"
	"bizfin/server/validate"
	"bizfin/store"
)

// Config is what a server needs.
type Config struct {
	Store          *store.DB
	Keys           seal.Keyring  // open the partners' secrets
	Audience       string        // of partner tokens
	TokenLifetime  time.Duration // how far ahead the exp of a partner token may lie; 0 is any
	PublicURL      string        // the service's own address, without a slash at the end
	RequestTimeout time.Duration
	FreeMonthly    int64 // new transactions categorized a month where the tier is not paid
	Now            func() time.Time
	Log            *slog.Logger
	// PingQueue reports whether the queue answers; the service works without it, only later.
	PingQueue func(context.Context) error
	// Accepted is told of each accepted upload after it is durable, and does not block. Nil tells nobody; a relay finds
	// the work all the same.
	Accepted func(context.Context, store.Event)
	// AccessTokens verifies the JWT access tokens of the configured issuers. Nil where none is: then opaque tokens
	// alone are taken.
	AccessTokens *oauth.Verifier
	// SignIn is set where people let agents in by themselves. Issuers go on beside it.
	SignIn *SignIn
	// Proxies are the networks of the proxies before this server: who they say a request comes from, it does.
	Proxies []*net.IPNet
	// CORSOrigins are the origins whose pages may call /mcp from a browser, such as https://inspector.example.com.
	CORSOrigins []string
	// Limits counts requests; nil counts those of this process alone.
	Limits *limit.Limiter
	// Rules are what each partner, organization and token may do that has no rules of its own.
	Rules Rules
	// RefusedPerSecond are the requests of one partner or agent, or of all strangers, that are refused at once; others
	// wait for their refusal. 0 is the usual number.
	RefusedPerSecond int
	// BillingSecrets are those by which the payment processor signs its events. None: it sends none.
	BillingSecrets []string
	// Collectors are shown at /metrics beside the server's own numbers.
	Collectors []prometheus.Collector
	// MetricsElsewhere leaves /metrics out: whoever listens at another address shows Metrics.
	MetricsElsewhere bool
}

// SignIn is how people let agents in by themselves: this service is the authorization server of its own resource
// (OAuth 2.1), and a partner that knows a person says who it is.
type SignIn struct {
	// RedirectHosts are hosts that people may be sent back to, beside those of well-known programs.
	RedirectHosts []string
	// Clients finds programs by their metadata documents. Nil asks the internet.
	Clients *agentclient.Fetcher
}

// Server answers the operations of the document.
type Server struct {
	Config
	doc        *openapi3.T
	validator  *validate.Validator
	operations map[string]*operation // by operation id
	tools      []mcp.Tool
	metrics    *metrics
	intake
	checks          singleflight.Group // of readiness
	atDatabase      *shares            // operations at work, by organization
	messages        *shares            // at work, by agent
	atWorkOfPartner *turns             // and by the partner whose business it is
	rules           *ownRules
	refusals        *refusals

	tokensShown *shares // at the token endpoint: of each, one request at a time
}

var _ api.StrictServerInterface = (*Server)(nil)

// operation is one operation of the document with the rules that the document gives it.
type operation struct {
	*Server
	id        string
	judge     *validate.Operation
	connects  bool           // it takes a partner token and no organization
	scope     string         // x-scope: what an OAuth token needs
	ownerOnly bool           // x-owner-only
	forDemo   bool           // x-demo-allowed: not for demo persons where false: uploads and deletions
	uuid      *regexp.Regexp // the document's pattern of an organization_id
}
