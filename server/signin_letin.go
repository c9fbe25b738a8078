package server

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"bizfin/server/agentclient"
	"bizfin/store"
)

// A person sees and ends what they let in by the way of a sign-in: the partner says who they are, to the browser that
// began, and there is no program. The partner writes nothing for it but a link.

var errNoPartner = &failure{status: http.StatusNotFound, message: "No platform of this name signs people in here."}

// How much a page shows.
const (
	letInAtOnce   = 20 // programs
	namesOfOneRow = 20 // businesses of a program
)

// letInPage lists the programs that a person let in on the word of one partner.
type letInPage struct {
	Request, Token         string
	Person, Email, Partner string
	Ended                  bool // something just was
	Programs               []letIn
	Next                   string // the cursor of the page after
	Exchanged              bool   // the partner's backend has access, too
}

// letIn is one program.
type letIn struct {
	ID         uuid.UUID
	Name       string
	Registered bool     // the name is the program's own word
	Host       string   // who says so where it is not
	Where      string   // where the person was sent back to
	Rights     []string // in words
	Businesses []string
	More       int // businesses beyond those
	Since      string
	Used       string
	Until      string // unless it comes back before
	Latest     string // in any case; empty where Until is
}

// beginLooking sends a person to the partner that knows them: the one that is named, or the one that they choose.
func (s *Server) beginLooking(c echo.Context) error {
	partners, err := s.Store.SignInPartners(c.Request().Context())
	if err != nil {
		return err
	}
	if asked := c.QueryParams(); asked.Has("partner") {
		named := one(asked, "partner")
		partners = slices.DeleteFunc(partners, func(p store.SignInPartner) bool { return p.ID != named })
	}
	if len(partners) == 0 {
		return errNoPartner
	}
	return s.sendToPartner(c, store.AgentRequest{Scopes: []string{}, Resource: s.PublicURL + mcpPath}, partners)
}

// looking is a person's look at what they let in, from the browser that began it. left says that they have left it.
func (s *Server) looking(c echo.Context, id, browser string) (request store.AgentRequest, left bool, err error) {
	request, err = s.requestOf(c, id, browser)
	switch {
	case err != nil:
		return request, false, err
	case request.OfProgram():
		return request, false, because(errNoRequest, "a program asks")
	case request.Stage != store.StageReturned && request.Stage != store.StageAnswered:
		return request, false, because(errNoRequest, "nobody has signed in yet")
	}
	return request, request.Stage == store.StageAnswered, nil
}

// showLetIn lists what the person let in.
func (s *Server) showLetIn(c echo.Context) error {
	asked := c.QueryParams()
	id := one(asked, "agent_request")
	browser := s.browserOf(c, id)
	request, left, err := s.looking(c, id, browser)
	if err != nil {
		return err
	}
	// The forms of this page lead nowhere else.
	c.Response().Header().Set(echo.HeaderContentSecurityPolicy, pagePolicy+"; form-action 'self'")
	if left {
		return s.page(c, http.StatusOK, "left", nil)
	}
	ctx, now := c.Request().Context(), s.Now()
	which := grantsOfPerson(request)
	exchanged := which
	which.Kind, exchanged.Kind = "consent", "exchange"
	list, err := s.Store.Grants(ctx, now, which, store.Page{Limit: letInAtOnce, Cursor: one(asked, "cursor")})
	if err != nil {
		return err
	}
	taken, err := s.Store.Grants(ctx, now, exchanged, store.Page{Limit: 1})
	if err != nil {
		return err
	}
	businesses, err := s.Store.VouchedFor(ctx, request.PersonID, *request.PartnerID)
	if err != nil {
		return err
	}
	person, err := s.Store.Person(ctx, request.PersonID)
	if err != nil {
		return err
	}
	partner, err := s.Store.PartnerName(ctx, *request.PartnerID)
	if err != nil {
		return err
	}
	return s.page(c, http.StatusOK, "letin", letInPage{Request: id, Token: ownedBy(browser, "let in", id),
		Person: agentclient.Shown(value(person.Name)), Email: agentclient.Shown(value(person.Email)),
		Partner: agentclient.Shown(partner), Ended: asked.Has("ended"), Next: list.NextCursor,
		Programs:  convert(list.Rows, func(g store.Grant) letIn { return toLetIn(g, businesses) }),
		Exchanged: len(taken.Rows) > 0})
}

// grantsOfPerson are those of a person on the word of the partner that signed them in: of its word, and no other's, is
// known who looks.
func grantsOfPerson(request store.AgentRequest) store.GrantFilter {
	return store.GrantFilter{PartnerID: *request.PartnerID, PersonID: request.PersonID}
}

func toLetIn(g store.Grant, businesses []store.Reachable) letIn {
	row := letIn{ID: g.ID, Name: value(g.ClientName), Registered: !agentclient.IsAddress(value(g.ClientID)),
		Where: agentclient.Where(value(g.RedirectURI)), Since: dayInWords(g.CreatedAt),
		Used: g.UsedAt.UTC().Format("2 January 2006, 15:04 UTC"), Until: dayInWords(g.ExpiresAt)}
	if !row.Registered {
		row.Host = agentclient.Where(value(g.ClientID))
	}
	if latest := dayInWords(g.CreatedAt.Add(store.GrantLifetime)); latest != row.Until {
		row.Latest = latest
	}
	for _, scope := range g.Scopes {
		row.Rights = append(row.Rights, inWords[scope])
	}
	for _, b := range businesses {
		_, reached := slices.BinarySearchFunc(g.Organizations, b.ID, store.CompareUUIDs)
		switch {
		case !reached:
		case len(row.Businesses) < namesOfOneRow:
			row.Businesses = append(row.Businesses, agentclient.Shown(b.Name))
		default:
			row.More++
		}
	}
	return row
}

func dayInWords(at time.Time) string { return at.UTC().Format("2 January 2006") }

// endLetIn ends one program's access, or all, or the person's look. What has ended already is ended.
func (s *Server) endLetIn(c echo.Context) error {
	values, browser, err := s.form(c, "let in")
	if err != nil {
		return err
	}
	ctx, id := c.Request().Context(), one(values, "agent_request")
	request, left, err := s.looking(c, id, browser)
	if err != nil {
		return err
	}
	to := s.PublicURL + letInPath + "?agent_request=" + url.QueryEscape(id)
	ctx = store.By(ctx, store.Actor{Kind: store.ActorPerson, PersonID: request.PersonID, RequestID: requestIDOf(c)})
	which := grantsOfPerson(request)
	switch end := one(values, "end"); {
	case left:
		return c.Redirect(http.StatusSeeOther, to)
	case end == "look":
		if err := s.Store.AnswerAgentRequest(ctx, s.Now(), id); err != nil {
			return gone(err)
		}
		return c.Redirect(http.StatusSeeOther, to)
	case end != "all":
		which.ID, err = uuid.Parse(end)
		if err != nil || which.ID == uuid.Nil { // the zero id would be all of them
			return errNotYours
		}
	}
	if _, err := s.Store.EndGrants(ctx, s.Now(), which); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, to+"&ended")
}
