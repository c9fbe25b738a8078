package server

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"bizfin/gen/api"
	"bizfin/server/agentclient"
	"bizfin/server/limit"
	"bizfin/server/mcp"
	"bizfin/server/validate"
	"bizfin/store"
)

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
		metrics:    newMetrics(c.Store.SQL(), c.Limits, c.Collectors),
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
