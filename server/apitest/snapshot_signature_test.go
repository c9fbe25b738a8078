package apitest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/server"
	"bizfin/store"
)

// hook is a partner's backend that sends snapshots.
type hook struct {
	*api
	secret []byte
	text   *journal
}

// journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// startHook runs a server whose queue is away: the webhook does without.
func startHook(t testing.TB, configure ...func(*server.Config)) *hook {
	t.Helper()
	text := &journal{}
	h := &hook{text: text, api: start(t, append(configure, func(c *server.Config) {
		c.Log = slog.New(slog.NewJSONHandler(text, &slog.HandlerOptions{Level: slog.LevelDebug}))
		c.PingQueue = func(context.Context) error { return io.ErrClosedPipe }
	})...)}
	h.secret = h.newWebhookSecret()
	return h
}

func (h *hook) newWebhookSecret() []byte {
	h.t.Helper()
	secret := []byte("a webhook secret of its own: " + uuid.NewString())
	sealed := store.SealedSecret{Purpose: store.PurposeWebhook, Sealed: keys.Seal(secret,
		server.SecretContext(h.partner, store.PurposeWebhook))}
	if err := h.db.RotateSecret(context.Background(), h.clock.Now(), h.partner, sealed); err != nil {
		h.t.Fatal(err)
	}
	return secret
}

func signature(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// deliver sends raw bytes with headers of the caller's choice.
func (h *hook) deliver(partner string, body []byte, header http.Header) answer {
	h.t.Helper()
	r, err := http.NewRequest("POST", h.url+"/webhooks/"+partner+"/accounts", bytes.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header = header
	if r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return h.anonymous().do(r)
}

// signed sends raw bytes with their signature.
func (h *hook) signed(body string) answer {
	h.t.Helper()
	return h.deliver(h.partner, []byte(body), http.Header{"X-Service-Signature": {signature(h.secret, []byte(body))}})
}

// snapshot sends the account list of a person.
func (h *hook) snapshot(sub string, accounts ...M) {
	h.t.Helper()
	if accounts == nil {
		accounts = []M{}
	}
	body, err := json.Marshal(M{"type": "accounts.changed", "sub": sub,
		"payload": M{"tier": "free", "accounts": accounts}})
	if err != nil {
		h.t.Fatal(err)
	}
	got := h.signed(string(body)).want(200)
	if string(got.body) != `{"received":true}`+"\n" {
		h.t.Fatalf("answer %s", got.body)
	}
}

// accepted is how many snapshots of the partner are stored. Other tests may have applied them.
func (h *hook) accepted() int {
	h.t.Helper()
	return h.stored("pending") + h.stored("applied") + h.stored("skipped")
}

// stored is how many snapshots of the partner are in a state.
func (h *hook) stored(state string) int {
	h.t.Helper()
	var n int
	err := h.db.SQL().QueryRow(`SELECT count(*) FROM account_snapshots WHERE partner_id = $1 AND state = $2`, h.partner,
		state).Scan(&n)
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

const goodSnapshot = `{"type":"accounts.changed","sub":"ana","payload":{"tier":"free","accounts":[]}}`

func TestASnapshotIsAcceptedOnlyWithItsSignature(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	older, body := h.secret, []byte(goodSnapshot)
	h.secret = h.newWebhookSecret()
	foreign, _ := h.newPartner() // without a webhook secret
	good := signature(h.secret, body)
	const missing, invalid = `{"error":"missing_signature"}`, `{"error":"invalid_signature"}`
	for _, test := range []struct {
		name, partner string
		signatures    []string
		status        int
		want          string
	}{
		{"the newest secret", h.partner, []string{good}, 200, `{"received":true}`},
		{"the older secret, still valid", h.partner, []string{signature(older, body)}, 200, `{"received":true}`},
		{"upper-case digits", h.partner, []string{strings.ToUpper(good)}, 200, `{"received":true}`},
		{"no header", h.partner, nil, 401, missing},
		{"an empty header", h.partner, []string{""}, 401, invalid},
		{"not hexadecimal", h.partner, []string{strings.Repeat("z", 64)}, 401, invalid},
		{"a digit short", h.partner, []string{good[1:]}, 401, invalid},
		{"a byte short", h.partner, []string{good[2:]}, 401, invalid},
		{"a byte long", h.partner, []string{good + "00"}, 401, invalid},
		{"with the name of the algorithm", h.partner, []string{"sha256=" + good}, 401, invalid},
		{"twice", h.partner, []string{good, good}, 401, invalid},
		{"of other bytes", h.partner, []string{signature(h.secret, append(body, '\n'))}, 401, invalid},
		{"with the token secret", h.partner, []string{signature(h.api.secret, body)}, 401, invalid},
		{"with no secret", h.partner, []string{signature(nil, body)}, 401, invalid},
		{"an unknown partner", "nobody", []string{good}, 401, invalid},
		{"an unknown partner without a header", "nobody", nil, 401, missing},
		{"a partner that is no text", "%00%FF", []string{good}, 401, invalid},
		{"another partner", foreign, []string{good}, 401, invalid},
	} {
		header := http.Header{}
		if test.signatures != nil {
			header["X-Service-Signature"] = test.signatures
		}
		got := h.deliver(test.partner, body, header)
		if text := strings.TrimSpace(string(got.body)); got.status != test.status || text != test.want {
			t.Errorf("%s: %d %s, want %d %s", test.name, got.status, text, test.status, test.want)
		}
		if media := got.header.Get("Content-Type"); !strings.HasPrefix(media, "application/json") {
			t.Errorf("%s: content type %s", test.name, media)
		}
	}
	if got := h.accepted(); got != 3 {
		t.Errorf("%d snapshots are stored, want the 3 accepted ones", got)
	}
	if err := h.db.DisablePartner(context.Background(), h.clock.Now(), h.partner); err != nil {
		t.Fatal(err)
	}
	if got := h.signed(goodSnapshot); got.status != 401 || strings.TrimSpace(string(got.body)) != invalid {
		t.Errorf("a disabled partner: %d %s", got.status, got.body)
	}
}

func TestASecretThatWasRetiredSignsNoSnapshot(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	older := h.secret
	h.newWebhookSecret()
	if _, err := h.db.RetireOldSecrets(context.Background(), h.clock.Now(), h.partner,
		store.PurposeWebhook); err != nil {
		t.Fatal(err)
	}
	h.secret = older
	h.signed(goodSnapshot).want(401)
}

func TestASignedBodyThatIsWrongIsAFailureThatSaysWhy(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	around := func(accounts string) string {
		return `{"type":"accounts.changed","sub":"ana","payload":{"tier":"free","accounts":` + accounts + `}}`
	}
	for _, test := range []struct {
		name, body string
		issues     []string
	}{
		{"nothing", ``, nil},
		{"no JSON", `{`, nil},
		{"two texts", goodSnapshot + goodSnapshot, nil},
		{"a name twice", `{"type":"accounts.changed","type":"accounts.changed","sub":"ana","payload":{"tier":"free","accounts":[]}}`, nil},
		{"no UTF-8", "{\"type\":\"\xff\"}", nil},
		{"nested too deep", around(strings.Repeat("[", 40) + strings.Repeat("]", 40)), nil},
		{"an array", `[]`, []string{"body  type"}},
		{"an empty object", `{}`, []string{"body /payload required", "body /sub required", "body /type required"}},
		{"another event", strings.Replace(goodSnapshot, "accounts.changed", "accounts.removed", 1),
			[]string{"body /type enum"}},
		{"an empty sub", strings.Replace(goodSnapshot, "ana", "", 1), []string{"body /sub minLength"}},
		{"a sub of 256 characters", strings.Replace(goodSnapshot, "ana", strings.Repeat("é", 256), 1),
			[]string{"body /sub maxLength"}},
		{"no tier", strings.Replace(goodSnapshot, `"tier":"free",`, "", 1), []string{"body /payload/tier required"}},
		{"another tier", strings.Replace(goodSnapshot, "free", "gold", 1), []string{"body /payload/tier enum"}},
		{"no accounts", strings.Replace(goodSnapshot, `,"accounts":[]`, "", 1),
			[]string{"body /payload/accounts required"}},
		{"accounts that are null", around(`null`), []string{"body /payload/accounts nullable"}},
		{"a business without a name", strings.Replace(goodSnapshot, `"tier"`, `"business":{"id":"b","name":""},"tier"`,
			1), []string{"body /payload/business/name minLength"}},
		{"an empty account", around(`[{}]`), []string{"body /payload/accounts/0/currency required",
			"body /payload/accounts/0/id required", "body /payload/accounts/0/name required"}},
		{"empty texts", around(`[{"id":"","name":"","currency":"US"}]`),
			[]string{"body /payload/accounts/0/id minLength", "body /payload/accounts/0/name minLength",
				"body /payload/accounts/0/currency minLength"}},
		{"a long currency", around(`[{"id":"a","name":"A","currency":"USDT"}]`),
			[]string{"body /payload/accounts/0/currency maxLength"}},
		{"an id twice", around(`[{"id":"a","name":"A","currency":"USD"},{"id":"a","name":"B","currency":"USD"}]`),
			[]string{"body /payload/accounts/1/id duplicate"}},
		{"an id of 513 characters", around(`[{"id":"` + strings.Repeat("x", 513) + `","name":"A","currency":"USD"}]`),
			[]string{"body /payload/accounts/0/id maxLength"}},
		{"a balance out of range", around(
			`[{"id":"a","name":"A","currency":"USD","current_balance":9999999999999.995}]`), []string{"body /payload/accounts/0/current_balance maximum"}},
		{"a balance in quotes", around(`[{"id":"a","name":"A","currency":"USD","current_balance":"1"}]`),
			[]string{"body /payload/accounts/0/current_balance type"}},
		{"another status", around(`[{"id":"a","name":"A","currency":"USD","status":"inactive"}]`),
			[]string{"body /payload/accounts/0/status enum"}},
		{"a token that is a number", around(`[{"id":"a","name":"A","currency":"USD","plaid_token":1}]`),
			[]string{"body /payload/accounts/0/plaid_token type"}},
		{"a NUL", around(`[{"id":"a\u0000","name":"A","currency":"USD"}]`),
			[]string{"body /payload/accounts/0/id pattern"}},
	} {
		got := h.signed(test.body)
		if got.status != 500 || got.text("error") == "" {
			t.Errorf("%s: %d %s, want 500 with an error", test.name, got.status, got.body)
			continue
		}
		if diff := cmp.Diff(test.issues, got.issues()); diff != "" {
			t.Errorf("%s: issues %s", test.name, diff)
		}
		if strings.Contains(string(got.body), "Retry") {
			t.Errorf("%s: it asks to be retried: %s", test.name, got.body)
		}
	}
	if got := h.accepted(); got != 0 {
		t.Errorf("%d snapshots are stored", got)
	}
}

func TestTheSignatureIsJudgedBeforeTheBodyIsParsed(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	wrong := http.Header{"X-Service-Signature": {strings.Repeat("0", 64)}}
	for _, body := range []string{"", "{", goodSnapshot, "\xff"} {
		if got := h.deliver(h.partner, []byte(body), wrong.Clone()); got.status != 401 {
			t.Errorf("%q with a wrong signature: %d %s", body, got.status, got.body)
		}
	}
}

func TestASnapshotMayHaveOneMebibyte(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	padded := func(size int) string { return goodSnapshot + strings.Repeat(" ", size-len(goodSnapshot)) }
	h.signed(padded(server.MaxBody)).want(200)
	h.signed(padded(server.MaxBody + 1)).want(413)
	body := []byte(padded(server.MaxBody + 1))
	// in chunks
	r, err := http.NewRequest("POST", h.url+"/webhooks/"+h.partner+"/accounts", io.MultiReader(bytes.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Service-Signature", signature(h.secret, body))
	h.anonymous().do(r).want(413)
	if got := h.accepted(); got != 1 {
		t.Errorf("%d snapshots are stored, want 1", got)
	}
}

func TestAnyMediaTypeIsAccepted(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	for _, media := range []string{"application/json", "application/json; charset=utf-8", "text/plain",
		"application/x-www-form-urlencoded", "nonsense"} {
		h.deliver(h.partner, []byte(goodSnapshot), http.Header{"Content-Type": {media},
			"X-Service-Signature": {signature(h.secret, []byte(goodSnapshot))}}).want(200)
	}
}

func TestTheWebhookHasOnlyItsOneRoute(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	for route, want := range map[string]int{
		"GET /webhooks/" + h.partner + "/accounts":                         405,
		"POST " + server.BasePath + "/webhooks/" + h.partner + "/accounts": 404,
		"POST /webhooks/" + h.partner:                                      404,
	} {
		method, path, _ := strings.Cut(route, " ")
		r, err := http.NewRequest(method, h.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{}
		if got := h.anonymous().do(r); got.status != want || got.text("error") == "" {
			t.Errorf("%s: %d %s, want %d", route, got.status, got.body, want)
		}
	}
}

// anonymous sends requests as they are.
func (h *hook) anonymous() *caller { return &caller{api: h.api} }
