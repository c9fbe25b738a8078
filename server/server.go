// Package server is the HTTP edge: it finds out who is calling, judges what they sent by the OpenAPI document, makes
// one call into the store, and translates the answer. Its handlers satisfy the interface generated from the document.
package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"
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

// BasePath is where the operations of the document are served.
const BasePath = "/api/v1"

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

// New loads the document and makes a server of it.
func New(c Config) (*Server, error) {
	if c.Accepted == nil {
		c.Accepted = func(context.Context, store.Event) {}
	}
	if c.Limits == nil {
		c.Limits = limit.Alone()
	}
	if c.Rules == (Rules{}) {
		c.Rules = UsualRules
	}
	if c.SignIn != nil && c.SignIn.Clients == nil {
		asked := *c.SignIn
		asked.Clients = agentclient.NewFetcher(asked.RedirectHosts, c.Now, nil)
		c.SignIn = &asked
	}
	doc, err := contract()
	if err != nil {
		return nil, err
	}
	validator, err := validate.New(doc)
	if err != nil {
		return nil, err
	}
	tools, err := mcp.Tools(doc)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Config:     c,
		doc:        doc,
		validator:  validator,
		tools:      tools,
		metrics:    newMetrics(c),
		intake:     newIntake(),
		atDatabase: newShares(atOnce),

		messages:        newShares(messagesAtOnce),
		atWorkOfPartner: newTurns(atOnceOfPartner, atOnceOfPartnerAmong),
		rules:           &ownRules{usual: c.Rules, read: c.Store.LimitsOfPartners, log: c.Log},
		refusals:        newRefusals(c.RefusedPerSecond),
	}
	s.tokensShown = newShares(1)
	s.operations, err = s.operationsOf(doc)
	return s, err
}

// Handler routes every request. What stands around all routes is first; what an operation's request passes through, in
// this order, is the list in operation.chain.
func (s *Server) Handler() (http.Handler, error) {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.answerError
	e.Binder = binder{}
	e.IPExtractor = addressBehind(s.Proxies)
	e.Use(
		s.sendSteadily,
		s.requestID,
		keepNowhere,
		s.logAndMeasure,
		s.recoverPanic,
		s.limitTime,
		s.delayRefusals,
	)
	chains := map[string][]echo.MiddlewareFunc{}
	for id, op := range s.operations {
		chains[id] = op.chain()
	}
	api.RegisterHandlersWithOptions(e, api.NewStrictHandler(s, []api.StrictMiddlewareFunc{refuseNil}),
		api.RegisterHandlersOptions{
			BaseURL:              BasePath,
			OperationMiddlewares: chains,
		})
	if err := s.serveDocument(e); err != nil {
		return nil, err
	}
	s.serveHealth(e)
	s.serveMCP(e)
	s.serveSignIn(e)
	s.serveBilling(e)
	return e, s.serveWebhook(e)
}

// refuseNil turns a handler's missing answer into a failure; the generated code would send 200 and nothing.
func refuseNil(next api.StrictHandlerFunc, operationID string) api.StrictHandlerFunc {
	return func(c echo.Context, request any) (any, error) {
		response, err := next(c, request)
		if err == nil && response == nil {
			return nil, errNoAnswer
		}
		return response, err
	}
}
