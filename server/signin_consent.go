package server

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"bizfin/server/agentclient"
	"bizfin/store"
)

var errNobody = &failure{status: http.StatusForbidden, message: "Nobody signed in, so there is nothing to show."}

// returnFromPartner takes back a person who was at the partner: the browser that began the sign-in, with the secret
// that the partner was given for whoever it knew. From here on the secret is used up and in no address any more.
func (s *Server) returnFromPartner(c echo.Context) error {
	asked := c.QueryParams()
	id, ctx := one(asked, "agent_request"), c.Request().Context()
	request, err := s.Store.ReturnAgentRequest(ctx, s.Now(), id, s.browserOf(c, id), one(asked, "secret"))
	switch {
	case errors.Is(err, store.ErrInvalidCredential):
		return because(errOtherBrowser, "the browser at the partner is not the one that began")
	case errors.Is(err, store.ErrNotFound):
		return s.showAgain(c, id)
	case err != nil:
		return err
	case request.Stage == store.StageRefused && !request.OfProgram():
		return errNobody
	case request.Stage == store.StageRefused:
		return s.sendBack(c, request.RedirectURI, request.State, "access_denied", "Nobody signed in.")
	}
	return s.goOn(c, id, request)
}

// goOn leads a person who came back from the partner to where they decide.
func (s *Server) goOn(c echo.Context, id string, request store.AgentRequest) error {
	to := letInPath
	if request.OfProgram() {
		to = consentPath
	}
	return c.Redirect(http.StatusSeeOther, s.PublicURL+to+"?agent_request="+url.QueryEscape(id))
}

// showAgain is for a person who goes back to where the secret was used up already.
func (s *Server) showAgain(c echo.Context, id string) error {
	request, err := s.requestOf(c, id, s.browserOf(c, id))
	if err != nil {
		return err
	}
	if request.Stage != store.StageReturned && request.Stage != store.StageAnswered {
		return because(errNoRequest, "the secret of the return is not the partner's")
	}
	return s.goOn(c, id, request)
}

// requestOfProgram is a sign-in under way, of a program that asks for something.
func (s *Server) requestOfProgram(c echo.Context, id, browser string) (store.AgentRequest, error) {
	request, err := s.requestOf(c, id, browser)
	if err == nil && !request.OfProgram() {
		err = because(errNoRequest, "no program asks")
	}
	return request, err
}

// showConsent asks the person.
func (s *Server) showConsent(c echo.Context) error {
	asked := c.QueryParams()
	id := one(asked, "agent_request")
	browser := s.browserOf(c, id)
	request, err := s.requestOfProgram(c, id, browser)
	if err != nil {
		return err
	}
	switch request.Stage {
	case store.StageReturned:
		return s.askConsent(c, http.StatusOK, id, browser, request, !asked.Has("none"), "")
	case store.StageAnswered:
		return s.page(c, http.StatusOK, "done", donePage{Client: request.ClientName})
	default:
		return because(errNoRequest, "nobody has signed in yet")
	}
}

// askConsent shows what is asked for, of whom and by which program.
func (s *Server) askConsent(c echo.Context, status int, id, browser string, request store.AgentRequest, all bool,
	problem string) error {
	ctx := c.Request().Context()
	person, err := s.Store.Person(ctx, request.PersonID)
	if err != nil {
		return err
	}
	businesses, err := s.Store.VouchedFor(ctx, request.PersonID, *request.PartnerID)
	if err != nil {
		return err
	}
	if len(businesses) == 0 {
		return errNoBusinesses
	}
	partner, err := s.Store.PartnerName(ctx, *request.PartnerID)
	if err != nil {
		return err
	}
	page := consentPage{Problem: problem, Request: id, Token: ownedBy(browser, "consent", id),
		Client: request.ClientName, Registered: request.Registered, Where: agentclient.Where(request.RedirectURI),
		Local: agentclient.Loopback(request.RedirectURI), Partner: agentclient.Shown(partner),
		PartnerID: *request.PartnerID, All: all}
	if !request.Registered {
		page.Host = agentclient.Where(request.ClientID)
	}
	page.Person = agentclient.Shown(value(person.Name))
	page.Email = agentclient.Shown(value(person.Email))
	for _, b := range businesses {
		page.Businesses = append(page.Businesses, consentBusiness{b.ID, agentclient.Shown(b.Name), b.Role})
	}
	for _, scope := range request.Scopes {
		page.Scopes = append(page.Scopes, consentScope{scope, inWords[scope]})
	}
	return s.page(c, status, "consent", page)
}

// inWords are the scopes that programs can be given, for people.
var inWords = map[string]string{
	"org:read":   "Read accounts, transactions, counterparties, categories, reports and open questions",
	"org:answer": "Answer open questions, which decides how transactions are categorized",
}

var errNoBusinesses = &failure{status: http.StatusForbidden, message: "You are in no business any more that a " +
	"program could be given access to."}

// takeConsent does what the person decided. A form that is sent twice is answered twice, by the same code.
func (s *Server) takeConsent(c echo.Context) error {
	values, browser, err := s.form(c, "consent")
	if err != nil {
		return err
	}
	ctx, id := c.Request().Context(), one(values, "agent_request")
	request, err := s.requestOfProgram(c, id, browser)
	if err != nil {
		return err
	}
	ctx = store.By(ctx, store.Actor{Kind: store.ActorPerson, PersonID: request.PersonID, RequestID: requestIDOf(c)})
	code := ownedBy(browser, "code", id)
	switch {
	case request.Stage == store.StageAnswered:
		if waits, err := s.Store.CodeWaits(ctx, s.Now(), code); err != nil || waits {
			return orElse(err, func() error { return s.giveCode(c, request, code) })
		}
		return s.page(c, http.StatusOK, "done", donePage{Client: request.ClientName})
	case request.Stage != store.StageReturned:
		return because(errNoRequest, "nobody has signed in yet")
	case one(values, "decision") == "deny":
		if err := s.Store.AnswerAgentRequest(ctx, s.Now(), id); err != nil {
			return gone(err)
		}
		return s.sendBack(c, request.RedirectURI, request.State, "access_denied", "The person refused.")
	case one(values, "decision") != "allow":
		return errNotYours
	}
	chosen, err := s.chosen(values, request)
	if err != nil {
		return err
	}
	if len(chosen.Organizations) == 0 || len(chosen.Scopes) == 0 {
		return s.askConsent(c, http.StatusUnprocessableEntity, id, browser, request, len(chosen.Organizations) > 0,
			"Choose at least one business and one right, or refuse.")
	}
	if err := s.Store.GrantAgentRequest(ctx, s.Now(), id, code, chosen); err != nil {
		return gone(err)
	}
	return s.giveCode(c, request, code)
}

// chosen is what the person left of what was asked for. More than that cannot be chosen: the store knows the
// businesses.
func (s *Server) chosen(values url.Values, request store.AgentRequest) (store.Consent, error) {
	chosen := store.Consent{Scopes: slices.DeleteFunc(slices.Clone(request.Scopes), func(scope string) bool {
		return !slices.Contains(values["scope"], scope)
	})}
	for _, text := range values["organization"] {
		id, err := uuid.Parse(text)
		if err != nil {
			return chosen, errNotYours
		}
		if !slices.Contains(chosen.Organizations, id) {
			chosen.Organizations = append(chosen.Organizations, id)
		}
	}
	return chosen, nil
}

// giveCode sends the person back to the program, with what it redeems.
func (s *Server) giveCode(c echo.Context, request store.AgentRequest, code string) error {
	return s.redirect(c, request.RedirectURI, request.State, url.Values{"code": {code}})
}

// gone is the answer where the store does not find a sign-in, or businesses, that were there a moment ago.
func gone(err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return errNoRequest
	case errors.Is(err, store.ErrNoAccess):
		return errNoBusinesses
	default:
		return err
	}
}

func orElse(err error, do func() error) error {
	if err != nil {
		return err
	}
	return do()
}
