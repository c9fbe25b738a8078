package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"bizfin/internal/partnertoken"
	"bizfin/internal/seal"
	"bizfin/openapi"
	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, everyMemberWasShown) }

const audience = "bizfin-test"

// api is a server with the production middleware on real PostgreSQL, and one partner of its own. Every answer under
// the base path is checked against the OpenAPI document.
type api struct {
	t       testing.TB
	url     string
	db      *store.DB
	partner string
	secret  []byte
	clock   *clock
	log     *lockedBuffer
	routes  []*echo.Route // all there are
}

// clock is the server's time; it moves only when a test says so.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	still bool // it is other tests' time too
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.still {
		panic("the time of a shared server moves: start one")
	}
	c.now = c.now.Add(d)
}

// keys seal the secrets of all tests.
var keys = func() seal.Keyring {
	k, err := seal.ParseKeys(seal.NewKey())
	if err != nil {
		panic(err)
	}
	return k
}()

// common is the server that tests share, since one costs more than most tests do.
var common struct {
	sync.Mutex
	*api
}

// shared is a server with the usual settings for a test that moves no clock, reads no log and no metrics, and does not
// use up what the service holds at once. The partner is the test's own.
func shared(t testing.TB) *api {
	t.Helper()
	common.Lock()
	defer common.Unlock()
	if common.api == nil {
		a, _ := serve(t) // until the process ends
		a.clock.still = true
		common.api = a
	}
	a := common.in(t)
	a.partner, a.secret = a.newPartner()
	return a
}

// start runs a server for one test; configure may change its settings.
func start(t testing.TB, configure ...func(*server.Config)) *api {
	t.Helper()
	a, listening := serve(t, configure...)
	t.Cleanup(listening.Close)
	a.partner, a.secret = a.newPartner()
	return a
}

// serve runs a server until it is closed. Nobody is its partner yet.
func serve(t testing.TB, configure ...func(*server.Config)) (*api, *httptest.Server) {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	a := &api{t: t, db: storetest.DB(t), clock: &clock{now: now}, log: &lockedBuffer{}}
	config := server.Config{
		Store:          a.db,
		Keys:           keys,
		Audience:       audience,
		PublicURL:      "https://api.example.com",
		RequestTimeout: 30 * time.Second,
		FreeMonthly:    1000,
		Now:            a.clock.Now,
		Log:            slog.New(slog.NewJSONHandler(a.log, nil)),
		PingQueue:      func(context.Context) error { return nil },
		// Tests refuse more than callers do.
		RefusedPerSecond: 1_000_000,
	}
	for _, change := range configure {
		change(&config)
	}
	s, err := server.New(config)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := s.Handler()
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(handler)
	a.url, a.routes = listening.URL, handler.(*echo.Echo).Routes()
	return a, listening
}

// newPartner creates a partner with a secret for tokens.
func (a *api) newPartner() (id string, secret []byte) {
	a.t.Helper()
	id, secret = "partner-"+uuid.NewString(), []byte("a secret of at least 32 bytes: "+uuid.NewString())
	sealed := store.SealedSecret{Purpose: store.PurposeToken, Sealed: keys.Seal(secret,
		server.SecretContext(id, store.PurposeToken))}
	if err := a.db.CreatePartner(context.Background(), a.clock.Now(), id, "Test partner",
		[]store.SealedSecret{sealed}); err != nil {
		a.t.Fatal(err)
	}
	return id, secret
}

// business is an entry of a token's list.
func business(id, role string) partnertoken.Business {
	return partnertoken.Business{ID: id, Name: "Business " + id, Role: role}
}

// sign makes a token for a person of the test's partner with the first business selected.
func (a *api) sign(sub string, businesses ...partnertoken.Business) string {
	a.t.Helper()
	payload := partnertoken.Payload{Businesses: businesses}
	if len(businesses) > 0 {
		payload.BusinessID = &businesses[0].ID
	}
	return a.signPayload(sub, payload)
}

func (a *api) signPayload(sub string, payload any) string {
	a.t.Helper()
	now := a.clock.Now()
	signed, err := partnertoken.Sign(partnertoken.Claims{
		PartnerID: a.partner, Audience: audience, Subject: sub, Email: sub + "@example.com", Name: "Person " + sub,
		IssuedAt: now, ExpiresAt: now.Add(15 * time.Minute), ID: uuid.NewString(), Payload: payload,
	}, a.secret)
	if err != nil {
		a.t.Fatal(err)
	}
	return signed
}

// answer is what came back.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
	parsed func() (any, error) // the JSON body, read once: tests look at each of hundreds of rows
	log    *lockedBuffer       // of the server that answered; nil where nobody kept it
}

func answerOf(t testing.TB, status int, header http.Header, body []byte) answer {
	return answer{t: t, status: status, header: header, body: body, parsed: sync.OnceValues(func() (at any, err error) {
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		err = decoder.Decode(&at)
		return at, err
	})}
}

// get reads a member of the JSON body by its path, such as "transactions", 0, "id". It fails the test where there is
// none.
func (r answer) get(path ...any) any {
	r.t.Helper()
	at, err := r.parsed()
	if err != nil {
		r.t.Fatalf("body is no JSON: %s", r.body)
	}
	for _, step := range path {
		var ok bool
		switch step := step.(type) {
		case string:
			var object map[string]any
			if object, ok = at.(map[string]any); ok {
				at, ok = object[step]
			}
		case int:
			var list []any
			if list, ok = at.([]any); ok && step < len(list) {
				at = list[step]
			} else {
				ok = false
			}
		}
		if !ok {
			r.t.Fatalf("no %v in %s", path, r.body)
		}
	}
	return at
}

// text is get for a string, or a number's literal.
func (r answer) text(path ...any) string {
	r.t.Helper()
	switch v := r.get(path...).(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	default:
		r.t.Fatalf("%v is %T in %s", path, v, r.body)
		return ""
	}
}

// size is how many items a list has.
func (r answer) size(path ...any) int {
	r.t.Helper()
	list, ok := r.get(path...).([]any)
	if !ok {
		r.t.Fatalf("%v is no list in %s", path, r.body)
	}
	return len(list)
}

// cause is what the log says of a request that the server failed, which the answer does not.
func (r answer) cause() string {
	id := r.header.Get("X-Request-Id")
	if r.status < http.StatusInternalServerError || r.log == nil || id == "" {
		return ""
	}
	var cause strings.Builder
	for line := range strings.Lines(r.log.String()) {
		if strings.Contains(line, id) {
			cause.WriteString("\n" + strings.TrimSpace(line))
		}
	}
	return cause.String()
}

// want fails the test where the status is another one.
func (r answer) want(status int) answer {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s%s", r.status, status, r.body, r.cause())
	}
	return r
}

// issues are the answer's issues as "in path code".
func (r answer) issues() []string {
	r.t.Helper()
	var body struct {
		Issues []struct{ In, Path, Code, Message string }
	}
	if err := json.Unmarshal(r.body, &body); err != nil {
		r.t.Fatalf("body is no JSON: %s", r.body)
	}
	var list []string
	for _, i := range body.Issues {
		list = append(list, i.In+" "+i.Path+" "+i.Code)
	}
	return list
}

// as sends requests with a partner token of the test's partner.
func (a *api) as(signed string) *caller {
	return &caller{api: a, header: http.Header{"Authorization": {"Bearer " + signed}, "X-Service-Partner": {a.partner}}}
}

// withOAuth sends requests with an OAuth token.
func (a *api) withOAuth(opaque string) *caller {
	return &caller{api: a, header: http.Header{"Authorization": {"Bearer " + opaque}}}
}

// caller sends requests with a credential.
type caller struct {
	*api
	header http.Header
}

// with returns a caller that sends one more header, or another value of it.
func (c *caller) with(name, value string) *caller {
	header := c.header.Clone()
	header.Set(name, value)
	return &caller{api: c.api, header: header}
}

func (c *caller) get(path string) answer    { return c.send("GET", path, "", nil) }
func (c *caller) delete(path string) answer { return c.send("DELETE", path, "", nil) }

// post sends a value as JSON; a string or []byte is sent as it is.
func (c *caller) post(path string, body any) answer {
	c.t.Helper()
	var raw []byte
	switch b := body.(type) {
	case nil:
	case string:
		raw = []byte(b)
	case []byte:
		raw = b
	default:
		var err error
		if raw, err = json.Marshal(body); err != nil {
			c.t.Fatal(err)
		}
	}
	return c.send("POST", path, "application/json", raw)
}

// send sends any request to a path under the base path, and checks the answer against the document.
func (c *caller) send(method, path, contentType string, body []byte) answer {
	c.t.Helper()
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	r, err := http.NewRequest(method, c.url+server.BasePath+path, reader)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = c.header.Clone()
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return c.do(r)
}

func (c *caller) do(r *http.Request) answer {
	c.t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	got := answerOf(c.t, response.StatusCode, response.Header, raw)
	got.log = c.api.log
	conforms(c.t, r, got)
	return got
}

var contract = sync.OnceValue(func() routers.Router {
	doc, err := openapi.Load()
	if err != nil {
		panic(err)
	}
	doc.Servers = openapi3.Servers{{URL: server.BasePath}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		panic(err)
	}
	return router
})

// conforms fails the test where an answer of an operation is not one the document describes.
func conforms(t testing.TB, r *http.Request, got answer) {
	t.Helper()
	if got.header.Get("X-Request-Id") == "" {
		t.Errorf("%s %s: no X-Request-Id", r.Method, r.URL)
	}
	asked := &http.Request{Method: r.Method, URL: &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath}, Header: r.Header}
	route, params, err := contract().FindRoute(asked)
	if err != nil {
		return // no operation of the document
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: asked, PathParams: params,
			Route: route},
		Status:  got.status,
		Header:  got.header,
		Body:    io.NopCloser(bytes.NewReader(got.body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	if err != nil {
		t.Errorf("%s %s answered what the document does not describe: %v", r.Method, r.URL, err)
	}
	if got.status == 200 {
		show(route.Operation, got.body)
	}
}

// office is a connected business with its owner.
type office struct {
	*caller
	person       string // user_id
	organization string
	source       string
	path         string // of the organization
}

// open connects a new person as owner of a new business.
func (a *api) open() *office {
	a.t.Helper()
	return a.join("person-"+uuid.NewString(), business("biz-"+uuid.NewString(), "owner"))
}

// join connects a person to businesses, the first one selected.
func (a *api) join(sub string, businesses ...partnertoken.Business) *office {
	a.t.Helper()
	c := a.as(a.sign(sub, businesses...))
	connected := c.post("/auth/partner", nil).want(200)
	return &office{
		caller:       c,
		person:       connected.text("user_id"),
		organization: connected.text("organization_id"),
		source:       connected.text("source_id"),
		path:         "/organizations/" + connected.text("organization_id"),
	}
}

// M is a JSON object.
type M = map[string]any

// account is an account to upload.
func account(externalID string) M {
	return M{"external_id": externalID, "name": "Account " + externalID, "type": "depository", "currency": "USD",
		"current_balance": json.Number("100.00")}
}

// transaction is a transaction to upload.
func transaction(externalID, amount, date, description string) M {
	return M{"external_id": externalID, "amount": json.Number(amount), "date": date, "description": description}
}

// uploadAccount uploads one account and returns its id.
func (o *office) uploadAccount(externalID string) string {
	o.t.Helper()
	got := o.post(o.path+"/accounts", M{"source_id": o.source, "accounts": []M{account(externalID)}}).want(200)
	return got.text("accounts", 0, "id")
}

// upload uploads transactions to an account and returns their ids by external id.
func (o *office) upload(account string, transactions ...M) map[string]string {
	o.t.Helper()
	got := o.post(o.path+"/accounts/"+account+"/transactions", M{"transactions": transactions}).want(200)
	ids := map[string]string{}
	for i := range got.size("transactions") {
		ids[got.text("transactions", i, "external_id")] = got.text("transactions", i, "id")
	}
	return ids
}

// oauth mints a token of a person.
func (a *api) oauth(person string, scopes ...string) string {
	a.t.Helper()
	if len(scopes) == 0 {
		scopes = server.Scopes
	}
	minted := server.OAuthTokenPrefix + strings.ReplaceAll(uuid.NewString(), "-", "")
	now := a.clock.Now()
	err := a.db.SaveOAuthToken(context.Background(), now, minted, store.OAuthToken{PersonID: uuid.MustParse(person),
		Scopes: scopes, ExpiresAt: now.Add(time.Hour)})
	if err != nil {
		a.t.Fatal(err)
	}
	return minted
}

// rows is the store's handle to the business, for what other parts of the product write.
func (o *office) rows() *store.Organization {
	return o.db.Organization(uuid.MustParse(o.organization))
}
