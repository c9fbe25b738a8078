package apitest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"hash"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
	"bizfin/server"
	"bizfin/store"
)

// forged is a token in the making: a valid one, of which a test changes a part.
type forged struct {
	header, claims M
	secret         []byte
	hash           func() hash.Hash
}

// forge starts from a valid token of the test's partner.
func (a *api) forge(sub string, businesses ...partnertoken.Business) *forged {
	now := a.clock.Now().Unix()
	payload := M{"businesses": businesses, "business_id": nil}
	if len(businesses) > 0 {
		payload["business_id"] = businesses[0].ID
	}
	return &forged{
		header: M{"alg": "HS256", "typ": "JWT"},
		claims: M{"iss": a.partner, "aud": audience, "sub": sub, "iat": now, "exp": now + 900, "payload": payload},
		secret: a.secret,
		hash:   sha256.New,
	}
}

func (f *forged) sign() string {
	signed := segment(f.header) + "." + segment(f.claims)
	mac := hmac.New(f.hash, f.secret)
	mac.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// segment writes a JSON object, or text as it is.
func segment(part any) string {
	text, ok := part.(string)
	if !ok {
		raw, err := json.Marshal(part)
		if err != nil {
			panic(err)
		}
		text = string(raw)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// caller sends exactly these headers.
func (a *api) with(header http.Header) *caller { return &caller{api: a, header: header} }

// unauthorized fails the test where the answer is no 401 with a challenge, or tells more than that.
func (r answer) unauthorized() {
	r.t.Helper()
	r.want(401)
	if challenge := r.header.Get("WWW-Authenticate"); !strings.HasPrefix(challenge, `Bearer realm="bizfin"`) {
		r.t.Errorf("WWW-Authenticate is %q", challenge)
	}
	told := map[string]bool{
		`{"error":"Send a valid token: Authorization: Bearer \u003ctoken\u003e, and X-Service-Partner with a partner token."}`: true,
		`{"error":"The token is invalid for this service. Sign or obtain a new one."}`:                                         true,
		`{"error":"The token has expired. Sign or obtain a new one."}`:                                                         true,
	}
	// What is wrong with a token is told to whoever signed it.
	toSigner := strings.Contains(r.header.Get("WWW-Authenticate"), `error="invalid_token", error_description="`)
	if body := strings.TrimSpace(string(r.body)); !told[body] && !toSigner {
		r.t.Errorf("401 says %s", body)
	}
}

func TestARequestWithoutOneCredentialIs401(t *testing.T) {
	t.Parallel()
	a := shared(t)
	sub, biz := uuid.NewString(), business(uuid.NewString(), "owner")
	o := a.join(sub, biz)
	signed, opaque := a.sign(sub, biz), a.oauth(o.person)
	disabled, disabledSecret := a.newPartner()
	if err := a.db.DisablePartner(context.Background(), a.clock.Now(), disabled); err != nil {
		t.Fatal(err)
	}
	byDisabled := a.forge(sub, biz)
	byDisabled.claims["iss"], byDisabled.secret = disabled, disabledSecret
	other, _ := a.newPartner()

	for name, header := range map[string]http.Header{
		"no header":            {},
		"partner header alone": {"X-Service-Partner": {a.partner}},
		"two Authorization headers": {"Authorization": {"Bearer " + signed, "Bearer " + signed},
			"X-Service-Partner": {a.partner}},
		"Basic":               {"Authorization": {"Basic " + signed}, "X-Service-Partner": {a.partner}},
		"no scheme":           {"Authorization": {signed}, "X-Service-Partner": {a.partner}},
		"empty Authorization": {"Authorization": {""}, "X-Service-Partner": {a.partner}},
		"scheme alone":        {"Authorization": {"Bearer"}, "X-Service-Partner": {a.partner}},
		"empty token":         {"Authorization": {"Bearer "}, "X-Service-Partner": {a.partner}},
		"two tokens": {"Authorization": {"Bearer " + signed + "," + signed},
			"X-Service-Partner": {a.partner}},
		"token after two spaces":       {"Authorization": {"Bearer  " + signed}, "X-Service-Partner": {a.partner}},
		"garbage":                      {"Authorization": {"Bearer x.y.z"}, "X-Service-Partner": {a.partner}},
		"not UTF-8":                    {"Authorization": {"Bearer \xff\xfe"}, "X-Service-Partner": {a.partner}},
		"partner token without header": {"Authorization": {"Bearer " + signed}},
		"OAuth token with header":      {"Authorization": {"Bearer " + opaque}, "X-Service-Partner": {a.partner}},
		"empty partner":                {"Authorization": {"Bearer " + signed}, "X-Service-Partner": {""}},
		"empty partner, OAuth token":   {"Authorization": {"Bearer " + opaque}, "X-Service-Partner": {""}},
		"partner twice": {"Authorization": {"Bearer " + signed},
			"X-Service-Partner": {a.partner, a.partner}},
		"partner list": {"Authorization": {"Bearer " + signed},
			"X-Service-Partner": {a.partner + "," + a.partner}},
		"partner in another case": {"Authorization": {"Bearer " + signed},
			"X-Service-Partner": {strings.ToUpper(a.partner)}},
		"unknown partner": {"Authorization": {"Bearer " + signed},
			"X-Service-Partner": {"nobody-" + uuid.NewString()}},
		"partner that is not UTF-8": {"Authorization": {"Bearer " + signed}, "X-Service-Partner": {"\xff"}},
		"very long partner": {"Authorization": {"Bearer " + signed},
			"X-Service-Partner": {strings.Repeat("p", 5000)}},
		"disabled partner": {"Authorization": {"Bearer " + byDisabled.sign()},
			"X-Service-Partner": {disabled}},
		"another partner":             {"Authorization": {"Bearer " + signed}, "X-Service-Partner": {other}},
		"unknown OAuth token":         {"Authorization": {"Bearer " + server.OAuthTokenPrefix + "nothing"}},
		"OAuth token in another case": {"Authorization": {"Bearer " + strings.ToUpper(opaque)}},
		"OAuth token with a tail":     {"Authorization": {"Bearer " + opaque + "x"}},
		"OAuth token without its prefix": {"Authorization": {"Bearer " + strings.TrimPrefix(opaque,
			server.OAuthTokenPrefix)}},
		"OAuth token that is a NUL escape": {"Authorization": {"Bearer " + server.OAuthTokenPrefix + "%00"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := a.in(t).with(header)
			c.get(o.path + "/profile").unauthorized()
			c.post(o.path+"/accounts", "{").unauthorized()
			c.post("/auth/partner", nil).unauthorized()
		})
	}
}

// in is the same server for a subtest.
func (a *api) in(t testing.TB) *api {
	b := *a
	b.t = t
	return &b
}

func TestTheSchemeIsReadInAnyCase(t *testing.T) {
	t.Parallel()
	a := shared(t)
	sub, biz := uuid.NewString(), business(uuid.NewString(), "owner")
	o := a.join(sub, biz)
	for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
		o.with("Authorization", scheme+" "+a.sign(sub, biz)).get(o.path + "/profile").want(200)
	}
}

func TestAPartnerTokenThatDoesNotHoldIs401(t *testing.T) {
	t.Parallel()
	a := shared(t)
	sub, biz := uuid.NewString(), business(uuid.NewString(), "owner")
	o := a.join(sub, biz)
	other, otherSecret := a.newPartner()
	now := a.clock.Now().Unix()
	for name, change := range map[string]func(f *forged) string{
		"alg none":           func(f *forged) string { f.header["alg"] = "none"; return f.sign() },
		"alg none, unsigned": func(f *forged) string { f.header["alg"] = "none"; return withoutSignature(f.sign()) },
		"unsigned":           func(f *forged) string { return withoutSignature(f.sign()) },
		"alg HS384": func(f *forged) string {
			f.header["alg"], f.hash = "HS384",
				sha512.New384
			return f.sign()
		},
		"alg HS512": func(f *forged) string { f.header["alg"], f.hash = "HS512", sha512.New; return f.sign() },
		"alg RS256": func(f *forged) string { f.header["alg"] = "RS256"; return f.sign() },
		"no alg":    func(f *forged) string { delete(f.header, "alg"); return f.sign() },
		"crit": func(f *forged) string {
			f.header["crit"] = []string{
				"b64"}
			f.header["b64"] = false
			return f.sign()
		},
		"empty crit":     func(f *forged) string { f.header["crit"] = []string{}; return f.sign() },
		"foreign typ":    func(f *forged) string { f.header["typ"] = "at+jwt"; return f.sign() },
		"another secret": func(f *forged) string { f.secret = otherSecret; return f.sign() },
		"signed by another partner in this one's name": func(f *forged) string {
			f.secret = otherSecret
			return f.sign()
		},
		"another issuer":   func(f *forged) string { f.claims["iss"] = other; return f.sign() },
		"no issuer":        func(f *forged) string { delete(f.claims, "iss"); return f.sign() },
		"another audience": func(f *forged) string { f.claims["aud"] = "bizfin-other"; return f.sign() },
		"no audience":      func(f *forged) string { delete(f.claims, "aud"); return f.sign() },
		"empty audiences":  func(f *forged) string { f.claims["aud"] = []string{}; return f.sign() },
		"no sub":           func(f *forged) string { delete(f.claims, "sub"); return f.sign() },
		"empty sub":        func(f *forged) string { f.claims["sub"] = ""; return f.sign() },
		"sub with NUL":     func(f *forged) string { f.claims["sub"] = "a\x00"; return f.sign() },
		"number sub":       func(f *forged) string { f.claims["sub"] = 7; return f.sign() },
		"no exp":           func(f *forged) string { delete(f.claims, "exp"); return f.sign() },
		"exp 0":            func(f *forged) string { f.claims["exp"] = 0; return f.sign() },
		"exp as text":      func(f *forged) string { f.claims["exp"] = "4102444800"; return f.sign() },
		"exp 1e300":        func(f *forged) string { f.claims["exp"] = json.Number("1e300"); return f.sign() },
		"no payload":       func(f *forged) string { delete(f.claims, "payload"); return f.sign() },
		"iat in the future beyond the leeway": func(f *forged) string {
			f.claims["iat"] = now + 32
			return f.sign()
		},
		"nbf in the future beyond the leeway": func(f *forged) string {
			f.claims["nbf"] = now + 32
			return f.sign()
		},
		"email that is no text": func(f *forged) string { f.claims["email"] = 1; return f.sign() },
		"tampered claims": func(f *forged) string {
			parts := strings.Split(f.sign(), ".")
			f.claims["sub"] = "someone else"
			return parts[0] + "." + segment(f.claims) + "." + parts[2]
		},
		"exp twice": func(f *forged) string {
			raw, _ := json.Marshal(f.claims)
			return f.signText(strings.Replace(string(raw), `"exp"`, `"exp":1,"exp"`, 1))
		},
		"EXP beside exp": func(f *forged) string { f.claims["EXP"] = now + 900; return f.sign() },
		"data after the claims": func(f *forged) string {
			raw, _ := json.Marshal(f.claims)
			return f.signText(string(raw) + "{}")
		},
		"padding":        func(f *forged) string { return f.sign() + "=" },
		"fourth segment": func(f *forged) string { return f.sign() + ".e30" },
		"many dots":      func(*forged) string { return strings.Repeat(".", 60000) },
	} {
		t.Run(name, func(t *testing.T) {
			c := a.in(t).as(change(a.forge(sub, biz)))
			c.get(o.path + "/profile").unauthorized()
			c.post("/auth/partner", nil).unauthorized()
		})
	}
	a.as(a.forge(sub, biz).sign()).get(o.path + "/profile").want(200)
}

func withoutSignature(signed string) string { return signed[:strings.LastIndex(signed, ".")+1] }

// signText signs claims that are the text of JSON already.
func (f *forged) signText(claims string) string {
	signed := segment(f.header) + "." + segment(claims)
	mac := hmac.New(f.hash, f.secret)
	mac.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func TestWhatATokenMayHaveBesidesIsAccepted(t *testing.T) {
	t.Parallel()
	a := shared(t)
	sub, biz := uuid.NewString(), business(uuid.NewString(), "owner")
	o := a.join(sub, biz)
	now := a.clock.Now().Unix()
	for name, change := range map[string]func(f *forged){
		"no typ":                            func(f *forged) { delete(f.header, "typ") },
		"kid":                               func(f *forged) { f.header["kid"] = "../../etc/passwd" },
		"several audiences":                 func(f *forged) { f.claims["aud"] = []string{"else", audience} },
		"iat within the leeway":             func(f *forged) { f.claims["iat"] = now + 29 },
		"nbf within the leeway":             func(f *forged) { f.claims["nbf"] = now + 29 },
		"no iat, e-mail, name":              func(f *forged) { delete(f.claims, "iat") },
		"unknown claims":                    func(f *forged) { f.claims["locale"] = "en" },
		"exp with a fraction":               func(f *forged) { f.claims["exp"] = float64(now) + 900.5 },
		"exp far ahead":                     func(f *forged) { f.claims["exp"] = now + 10*365*86400 },
		"a longest token of exactly 64 KiB": func(f *forged) { f.fill(t, 64<<10) },
	} {
		t.Run(name, func(t *testing.T) {
			f := a.forge(sub, biz)
			change(f)
			a.in(t).as(f.sign()).get(o.path + "/profile").want(200)
		})
	}
	over := a.forge(sub, biz)
	over.fill(t, 64<<10+1)
	a.as(over.sign()).get(o.path + "/profile").unauthorized()
}

// fill makes the token exactly so many bytes long.
func (f *forged) fill(t testing.TB, size int) {
	for kid := range 8 {
		f.header["kid"] = strings.Repeat("k", kid)
		f.claims["pad"] = ""
		missing := size - len(f.sign())
		for pad := missing*3/4 - 4; pad <= missing; pad++ {
			f.claims["pad"] = strings.Repeat("p", pad)
			if got := len(f.sign()); got == size {
				return
			} else if got > size {
				break
			}
		}
	}
	t.Fatalf("no token of %d bytes", size)
}

func TestATokenExpiresAtExp(t *testing.T) {
	t.Parallel()
	a := start(t)
	o := a.open()
	exp := a.clock.Now().Truncate(time.Second).Add(15 * time.Minute)
	a.clock.Add(exp.Sub(a.clock.Now()) - time.Microsecond)
	o.get(o.path + "/profile").want(200)
	o.post("/auth/partner", nil).want(200)
	a.clock.Add(time.Microsecond)
	for _, got := range []answer{o.get(o.path + "/profile"), o.post("/auth/partner", nil)} {
		got.unauthorized()
		if !strings.Contains(got.header.Get("WWW-Authenticate"), `error="invalid_token"`) ||
			!strings.Contains(got.text("error"), "expired") {
			t.Errorf("%s: %s", got.header.Get("WWW-Authenticate"), got.body)
		}
	}
}

func TestAnExpiredTokenWithABadSignatureIsNotCalledExpired(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	f := a.forge("p", business("b", "owner"))
	f.claims["exp"], f.secret = 1, []byte(strings.Repeat("x", 32))
	got := a.as(f.sign()).get(o.path + "/profile")
	got.unauthorized()
	if strings.Contains(got.text("error"), "expired") {
		t.Errorf("%s", got.body)
	}
}

func TestTheTokenOfAnAccountantWith300BusinessesPasses(t *testing.T) {
	t.Parallel()
	a := shared(t)
	var all []partnertoken.Business
	for range 300 {
		all = append(all, business("biz-"+uuid.NewString(), "member"))
	}
	signed := a.sign("accountant", all...)
	if len(signed) < 40<<10 || len(signed) > partnertoken.MaxLength {
		t.Fatalf("token of %d bytes", len(signed))
	}
	connected := a.as(signed).post("/auth/partner", nil).want(200)
	if got := connected.size("organizations"); got != 300 {
		t.Fatalf("%d organizations", got)
	}
	a.as(signed).get("/organizations/" + connected.text("organization_id") + "/profile").want(200)
}

func TestTwoSecretsAreValidDuringARotation(t *testing.T) {
	t.Parallel()
	a := start(t)
	sub, biz := uuid.NewString(), business(uuid.NewString(), "owner")
	o := a.join(sub, biz)
	profile := o.path + "/profile"
	rotate := func() string {
		a.clock.Add(time.Second)
		a.secret = []byte("another secret of at least 32 bytes: " + uuid.NewString())
		sealed := store.SealedSecret{Purpose: store.PurposeToken, Sealed: keys.Seal(a.secret,
			server.SecretContext(a.partner, store.PurposeToken))}
		if err := a.db.RotateSecret(context.Background(), a.clock.Now(), a.partner, sealed); err != nil {
			t.Fatal(err)
		}
		return a.sign(sub, biz)
	}
	first, second := a.sign(sub, biz), rotate()
	a.as(first).get(profile).want(200)
	a.as(second).get(profile).want(200)

	third := rotate()
	a.as(first).get(profile).unauthorized()
	a.as(second).get(profile).want(200)
	a.as(third).get(profile).want(200)

	if _, err := a.db.RetireOldSecrets(context.Background(), a.clock.Now(), a.partner, store.PurposeToken); err != nil {
		t.Fatal(err)
	}
	a.as(second).get(profile).unauthorized()
	a.as(third).get(profile).want(200)
}

func TestAWebhookSecretSignsNoToken(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	f := a.forge("p", business("b", "owner"))
	f.secret = []byte("a webhook secret of at least 32 bytes " + uuid.NewString())
	sealed := store.SealedSecret{Purpose: store.PurposeWebhook, Sealed: keys.Seal(f.secret,
		server.SecretContext(a.partner, store.PurposeWebhook))}
	if err := a.db.RotateSecret(context.Background(), a.clock.Now(), a.partner, sealed); err != nil {
		t.Fatal(err)
	}
	a.as(f.sign()).get(o.path + "/profile").unauthorized()
	o.get(o.path + "/profile").want(200)
}

func TestABadPayloadIs422AtTheConnectionAnd401Elsewhere(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	const good = `{"id":"a","name":"A","role":"owner"}`
	long := func(n int) string { return strings.Repeat("é", n) }
	for name, test := range map[string]struct {
		payload string
		want    []string
	}{
		"no object": {`[]`, []string{"token /payload type"}},
		"null":      {`null`, []string{"token /payload type"}},
		"empty": {`{}`, []string{"token /payload/business_id required",
			"token /payload/businesses required"}},
		"no business_id":  {`{"businesses":[` + good + `]}`, []string{"token /payload/business_id required"}},
		"no businesses":   {`{"business_id":"a"}`, []string{"token /payload/businesses required"}},
		"null businesses": {`{"business_id":null,"businesses":null}`, []string{"token /payload/businesses type"}},
		"null with businesses": {`{"business_id":null,"businesses":[` + good + `]}`,
			[]string{"token /payload/business_id consistency"}},
		"selected not listed": {`{"business_id":"b","businesses":[` + good + `]}`,
			[]string{"token /payload/business_id consistency"}},
		"selected of none": {`{"business_id":"b","businesses":[]}`, []string{"token /payload/business_id consistency"}},
		"selected in another case": {`{"business_id":"A","businesses":[` + good + `]}`,
			[]string{"token /payload/business_id consistency"}},
		"number business_id": {`{"business_id":1,"businesses":[` + good + `]}`,
			[]string{"token /payload/business_id type"}},
		"id twice": {`{"business_id":"a","businesses":[` + good + `,` + good + `]}`,
			[]string{"token /payload/businesses/1/id duplicate"}},
		"empty id": {`{"business_id":"","businesses":[{"id":"","name":"A","role":"owner"}]}`,
			[]string{"token /payload/business_id minLength", "token /payload/businesses/0/id minLength"}},
		"long id": {`{"business_id":"` + long(201) + `","businesses":[{"id":"` + long(201) +
			`","name":"A","role":"owner"}]}`,
			[]string{"token /payload/business_id maxLength", "token /payload/businesses/0/id maxLength"}},
		"number id": {`{"business_id":"a","businesses":[{"id":1,"name":"A","role":"owner"}]}`,
			[]string{"token /payload/businesses/0/id type"}},
		"no fields": {`{"business_id":"a","businesses":[{}]}`, []string{"token /payload/businesses/0/id required",
			"token /payload/businesses/0/name required", "token /payload/businesses/0/role required"}},
		"blank name": {`{"business_id":"a","businesses":[{"id":"a","name":" \u00a0\ufeff\u2003","role":"owner"}]}`,
			[]string{"token /payload/businesses/0/name minLength"}},
		"unseen name": {`{"business_id":"a","businesses":[{"id":"a","name":"\u200b\u2800","role":"owner"}]}`,
			[]string{"token /payload/businesses/0/name minLength"}},
		"long name": {`{"business_id":"a","businesses":[{"id":"a","name":" ` + long(121) + ` ","role":"owner"}]}`,
			[]string{"token /payload/businesses/0/name maxLength"}},
		"viewer": {`{"business_id":"a","businesses":[{"id":"a","name":"A","role":"viewer"}]}`,
			[]string{"token /payload/businesses/0/role enum"}},
		"Owner": {`{"business_id":"a","businesses":[{"id":"a","name":"A","role":"Owner"}]}`,
			[]string{"token /payload/businesses/0/role enum"}},
		"gold tier": {`{"business_id":"a","businesses":[` + good + `],"tier":"gold"}`,
			[]string{"token /payload/tier enum"}},
		"null tier": {`{"business_id":"a","businesses":[` + good + `],"tier":null}`,
			[]string{"token /payload/tier type"}},
		"with account": {`{"business_id":"a","businesses":[` + good + `],"accounts":[]}`,
			[]string{"token /payload/accounts additionalProperties"}},
		"unknown in a business": {`{"business_id":"a","businesses":[{"id":"a","name":"A","role":"owner","vat":"1"}]}`,
			[]string{"token /payload/businesses/0/vat additionalProperties"}},
		"tier in a business": {`{"business_id":"a","businesses":[{"id":"a","name":"A","role":"owner","tier":"paid"}]}`,
			[]string{"token /payload/businesses/0/tier additionalProperties"}},
		"NUL": {`{"business_id":"a","businesses":[{"id":"a","name":"A\u0000","role":"owner"}]}`,
			[]string{"token /payload/businesses/0/name pattern"}},
		"surrogate": {`{"business_id":"a","businesses":[{"id":"a","name":"A\ud800","role":"owner"}]}`,
			[]string{"token /payload/businesses/0/name pattern"}},
		"all at once": {`{"business_id":"c","businesses":[{"id":"a","name":"","role":"x"},{"id":"a","name":"B","role":"member"}],"tier":1}`,
			[]string{"token /payload/businesses/0/name minLength", "token /payload/businesses/0/role enum",
				"token /payload/businesses/1/id duplicate", "token /payload/tier type",
				"token /payload/business_id consistency"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := a.forge("person-"+uuid.NewString(), business("a", "owner"))
			f.claims["payload"] = "PAYLOAD"
			raw, _ := json.Marshal(f.claims)
			c := a.in(t).as(f.signText(strings.Replace(string(raw), `"PAYLOAD"`, test.payload, 1)))
			got := c.post("/auth/partner", nil).want(422)
			if diff := cmp.Diff(test.want, got.issues()); diff != "" {
				t.Error(diff)
			}
			c.get(o.path + "/profile").unauthorized()
		})
	}
}

func TestTheLongestIDsAndNamesConnect(t *testing.T) {
	t.Parallel()
	a := shared(t)
	sub, id := strings.Repeat("s", 255), uuid.NewString()+strings.Repeat("é", 164)
	o := a.join(sub, partnertoken.Business{ID: id, Name: "  " + strings.Repeat("😀", 120) + "\u00a0", Role: "member"})
	if got := o.get(o.path+"/profile").want(200).text("organization", "name"); got != strings.Repeat("😀", 120) {
		t.Errorf("name is %q", got)
	}
}

func TestAMoreThanHundredfoldBadPayloadIsAnsweredWithAHundredIssues(t *testing.T) {
	t.Parallel()
	a := shared(t)
	c := a.as(a.signPayload("p", M{"business_id": nil, "businesses": make([]M, 150)}))
	if got := len(c.post("/auth/partner", nil).want(422).issues()); got != 100 {
		t.Errorf("%d issues", got)
	}
}
