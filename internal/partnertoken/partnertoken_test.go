package partnertoken_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"hash"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/partnertoken"
)

const (
	goodHeader  = `{"alg":"HS256","typ":"JWT"}`
	goodPayload = `{"business_id":"b1","businesses":[{"id":"b1","name":"One","role":"owner"}]}`
)

var (
	secret      = []byte("0123456789abcdef0123456789abcdef")
	otherSecret = []byte("fedcba9876543210fedcba9876543210")
	now         = time.Date(2026, 11, 20, 12, 0, 0, 500_000_000, time.UTC)
)

func expect() partnertoken.Expect {
	return partnertoken.Expect{PartnerID: "acme", Audience: "https://bizfin.test", Secrets: [][]byte{secret}, Now: now}
}

func segment(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

func signWith(newHash func() hash.Hash, key []byte, signed string) string {
	mac := hmac.New(newHash, key)
	mac.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// signed makes a token of any header and claims text, with a good signature.
func signed(header, claims string) string {
	return signWith(sha256.New, secret, segment(header)+"."+segment(claims))
}

// claims writes the good claims with some members replaced, or removed where the
// new value is "", followed by the extra members as given.
func claims(replace map[string]string, extra ...string) string {
	members := []string{}
	for _, m := range [][2]string{
		{"iss", `"acme"`},
		{"aud", `"https://bizfin.test"`},
		{"sub", `"p-1"`},
		{"email", `"ann@example.com"`},
		{"name", `"Ann"`},
		{"iat", in(-time.Minute)},
		{"exp", in(time.Minute)},
		{"jti", `"t-1"`},
		{"payload", goodPayload},
	} {
		value, replaced := replace[m[0]]
		if !replaced {
			value = m[1]
		}
		if value != "" {
			members = append(members, fmt.Sprintf("%q:%s", m[0], value))
		}
	}
	return "{" + strings.Join(append(members, extra...), ",") + "}"
}

func with(name, value string) string { return claims(map[string]string{name: value}) }

// in is a date relative to now, as a JSON number.
func in(d time.Duration) string { return fmt.Sprint(now.Add(d).Unix()) }

func TestVerifyReturnsWhatTheTokenSays(t *testing.T) {
	t.Parallel()
	got, err := partnertoken.Verify(signed(goodHeader, claims(nil)), expect())
	if err != nil {
		t.Fatal(err)
	}
	want := partnertoken.Partner{
		PartnerID: "acme",
		Subject:   "p-1",
		Email:     "ann@example.com",
		Name:      "Ann",
		ID:        "t-1",
		IssuedAt:  now.Truncate(time.Second).Add(-time.Minute),
		ExpiresAt: now.Truncate(time.Second).Add(time.Minute),
		Payload:   json.RawMessage(goodPayload),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestVerifyAccepts(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"only the required claims": signed(goodHeader,
			claims(map[string]string{"email": "", "name": "", "iat": "", "jti": ""})),
		"no typ":            signed(`{"alg":"HS256"}`, claims(nil)),
		"typ in lower case": signed(`{"alg":"HS256","typ":"jwt"}`, claims(nil)),
		"kid, jku and jwk, without effect": signed(
			`{"alg":"HS256","kid":"../../etc","jku":"https://evil.test","jwk":{"kty":"oct","k":"AAAA"}}`, claims(nil),
		),
		"aud as array":           signed(goodHeader, with("aud", `["other","https://bizfin.test"]`)),
		"exp with a fraction":    signed(goodHeader, with("exp", in(time.Minute)+".75")),
		"exp with an exponent":   signed(goodHeader, with("exp", "4e9")),
		"exp in ten years":       signed(goodHeader, with("exp", in(10*365*24*time.Hour))),
		"exp at the end of 9999": signed(goodHeader, with("exp", "253402300799")),
		"exp one second ahead":   signed(goodHeader, with("exp", in(time.Second))),
		"iat 30 s ahead":         signed(goodHeader, with("iat", in(30*time.Second))),
		"nbf 30 s ahead":         signed(goodHeader, claims(nil, `"nbf":`+in(30*time.Second))),
		"null email and name": signed(goodHeader,
			claims(map[string]string{"email": "null", "name": "null"})),
		"unknown claims": signed(goodHeader,
			claims(nil, `"roles":["x"]`, `"nested":{"a":{"A":1}}`)),
		"space around JSON":                   signed(" "+goodHeader+" ", "\n"+claims(nil)+"\n"),
		"sub of 255 characters":               signed(goodHeader, with("sub", `"`+strings.Repeat("ä", 255)+`"`)),
		"email of 320 characters":             signed(goodHeader, with("email", `"`+strings.Repeat("ä", 320)+`"`)),
		"name of 500 characters":              signed(goodHeader, with("name", `"`+strings.Repeat("ä", 500)+`"`)),
		"null payload, for ParsePayload":      signed(goodHeader, with("payload", "null")),
		"payload string, for ParsePayload":    signed(goodHeader, with("payload", `"x"`)),
		"payload surrogate, for ParsePayload": signed(goodHeader, with("payload", `{"business_id":"\ud800"}`)),
		"payload nested 31 deep": signed(goodHeader,
			with("payload", strings.Repeat("[", 31)+strings.Repeat("]", 31))),
		"brackets inside strings": signed(goodHeader, with("name", `"`+strings.Repeat(`[{\"`, 60)+`"`)),
		"300 businesses":          signed(goodHeader, with("payload", manyBusinesses(300))),
	} {
		if _, err := partnertoken.Verify(raw, expect()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	good := signed(goodHeader, claims(nil))
	head, tail := good[:len(good)-1], good[len(good)-1:]
	parts := strings.Split(good, ".")
	unsigned := parts[0] + "." + parts[1]
	publicKey := publicPEM(t)
	rs256 := segment(`{"alg":"RS256","typ":"JWT"}`) + "." + parts[1]
	cases := map[string]string{
		// Algorithm and signature.
		"alg none, no signature":          segment(`{"alg":"none"}`) + "." + parts[1] + ".",
		"alg none, good signature":        signed(`{"alg":"none"}`, claims(nil)),
		"alg nOnE":                        segment(`{"alg":"nOnE"}`) + "." + parts[1] + ".",
		"no alg":                          signed(`{"typ":"JWT"}`, claims(nil)),
		"null alg":                        signed(`{"alg":null}`, claims(nil)),
		"alg as array":                    signed(`{"alg":["HS256"]}`, claims(nil)),
		"alg hs256":                       signed(`{"alg":"hs256"}`, claims(nil)),
		"alg Alg, not alg":                signed(`{"Alg":"HS256"}`, claims(nil)),
		"HS384":                           signWith(sha512.New384, secret, segment(`{"alg":"HS384"}`)+"."+parts[1]),
		"HS384 header, HS256 signature":   signed(`{"alg":"HS384"}`, claims(nil)),
		"RS256, signed with a public key": signWith(sha256.New, publicKey, rs256),
		"HS256, signed with a public key": signWith(sha256.New, publicKey, unsigned),
		"empty key":                       signWith(sha256.New, nil, unsigned),
		"another secret":                  signWith(sha256.New, otherSecret, unsigned),
		"empty signature":                 unsigned + ".",
		"truncated signature":             good[:len(good)-4],
		"longer signature":                good + "AAAA",
		"changed claims":                  parts[0] + "." + segment(with("sub", `"p-2"`)) + "." + parts[2],
		"changed header":                  segment(`{"alg":"HS256"}`) + "." + parts[1] + "." + parts[2],
		"padding after signature":         good + "=",
		"padding after claims": signWith(sha256.New, secret,
			parts[0]+"."+base64.URLEncoding.EncodeToString([]byte(claims(nil)+padTo3(claims(nil))))),
		"standard alphabet": signWith(sha256.New, secret,
			parts[0]+"."+base64.RawStdEncoding.EncodeToString([]byte(with("name", `"???>>>???"`)))),
		"line end at the end":              good + "\n",
		"line end inside, signed so":       signWith(sha256.New, secret, parts[0]+"\r\n."+parts[1]),
		"space before":                     " " + good,
		"stray bits in the signature tail": head + stray(tail),

		// Segments and size.
		"empty":           "",
		"two segments":    unsigned,
		"four segments":   good + "." + parts[2],
		"only dots":       "..",
		"a million dots":  strings.Repeat(".", 1_000_000),
		"a 1 MiB claim":   signed(goodHeader, with("name", `"`+strings.Repeat("x", 1<<20)+`"`)),
		"over 64 KiB":     signed(goodHeader, claims(nil, `"x":"`+strings.Repeat("x", 49_000)+`"`)),
		"empty header":    signWith(sha256.New, secret, "."+parts[1]),
		"empty claims":    signWith(sha256.New, secret, parts[0]+"."),
		"a foreign token": "mcp_0123456789",

		// Header.
		"crit unknown":           signed(`{"alg":"HS256","crit":["x"],"x":1}`, claims(nil)),
		"crit b64":               signed(`{"alg":"HS256","crit":["b64"],"b64":false}`, claims(nil)),
		"crit empty":             signed(`{"alg":"HS256","crit":[]}`, claims(nil)),
		"crit null":              signed(`{"alg":"HS256","crit":null}`, claims(nil)),
		"typ at+jwt":             signed(`{"alg":"HS256","typ":"at+jwt"}`, claims(nil)),
		"typ not a string":       signed(`{"alg":"HS256","typ":1}`, claims(nil)),
		"alg twice":              signed(`{"alg":"none","alg":"HS256"}`, claims(nil)),
		"alg and ALG":            signed(`{"alg":"HS256","ALG":"none"}`, claims(nil)),
		"alg and an escaped alg": signed(`{"alg":"HS256","\u0061lg":"none"}`, claims(nil)),
		"header is an array":     signed(`["HS256"]`, claims(nil)),
		"header is null":         signed(`null`, claims(nil)),
		"data after header":      signed(goodHeader+"{}", claims(nil)),
		"header nested 5,000 deep": signed(`{"alg":"HS256","x":`+strings.Repeat("[", 5000)+strings.Repeat("]",
			5000)+"}", claims(nil)),

		// Shape of the claims.
		"claims null":                  signed(goodHeader, "null"),
		"claims array":                 signed(goodHeader, "["+claims(nil)+"]"),
		"claims string":                signed(goodHeader, `"x"`),
		"claims cut off":               signed(goodHeader, strings.TrimSuffix(claims(nil), "}")),
		"JSON after claims":            signed(goodHeader, claims(nil)+`{"x":1}`),
		"garbage after claims":         signed(goodHeader, claims(nil)+"x"),
		"NUL after claims":             signed(goodHeader, claims(nil)+"\x00"),
		"comma after the last member":  signed(goodHeader, strings.TrimSuffix(claims(nil), "}")+",}"),
		"byte order mark":              signed(goodHeader, "\ufeff"+claims(nil)),
		"invalid UTF-8":                signed(goodHeader, with("name", "\"\xff\"")),
		"invalid UTF-8, unknown claim": signed(goodHeader, claims(nil, "\"x\":\"\xc3\x28\"")),
		"exp twice":                    signed(goodHeader, claims(nil, `"exp":`+in(time.Hour))),
		"exp and EXP":                  signed(goodHeader, claims(nil, `"EXP":`+in(time.Hour))),
		"iss and a long-s iſs":         signed(goodHeader, claims(nil, `"iſs":"other"`)),
		"exp and an escaped exp":       signed(goodHeader, claims(nil, `"e\u0078p":1`)),
		"duplicate in payload": signed(goodHeader,
			with("payload", `{"business_id":null,"business_id":null,"businesses":[]}`)),
		"duplicate in a business": signed(goodHeader,
			with("payload", `{"business_id":"a","businesses":[{"id":"a","name":"A","role":"member","role":"owner"}]}`)),
		"duplicate in an unknown claim": signed(goodHeader, claims(nil, `"x":{"y":[{"z":1,"z":2}]}`)),
		"claims nested 5,000 deep": signed(goodHeader,
			claims(nil, `"x":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000))),
		"claims nested 33 deep": signed(goodHeader,
			claims(nil, `"x":`+strings.Repeat("[", 32)+strings.Repeat("]", 32))),
		"objects nested 33 deep": signed(goodHeader,
			claims(nil, `"x":`+strings.Repeat(`{"x":`, 32)+"1"+strings.Repeat("}", 32))),
		"deep after an escaped backslash": signed(goodHeader,
			claims(nil, `"x\\":`+strings.Repeat("[", 32)+strings.Repeat("]", 32))),

		// Standard claims.
		"no exp":                  signed(goodHeader, with("exp", "")),
		"only EXP":                signed(goodHeader, claims(map[string]string{"exp": ""}, `"EXP":`+in(time.Hour))),
		"exp null":                signed(goodHeader, with("exp", "null")),
		"exp as string":           signed(goodHeader, with("exp", `"`+in(time.Hour)+`"`)),
		"exp 1e300":               signed(goodHeader, with("exp", "1e300")),
		"exp 1e400":               signed(goodHeader, with("exp", "1e400")),
		"exp -1e300":              signed(goodHeader, with("exp", "-1e300")),
		"exp 9.2e18":              signed(goodHeader, with("exp", "9.2e18")),
		"exp in milliseconds":     signed(goodHeader, with("exp", in(time.Hour)+"000")),
		"no aud":                  signed(goodHeader, with("aud", "")),
		"aud null":                signed(goodHeader, with("aud", "null")),
		"aud empty":               signed(goodHeader, with("aud", `""`)),
		"aud empty array":         signed(goodHeader, with("aud", "[]")),
		"another aud":             signed(goodHeader, with("aud", `"https://bizfin.test/mcp"`)),
		"aud array of others":     signed(goodHeader, with("aud", `["a","b"]`)),
		"aud array with a number": signed(goodHeader, with("aud", `["https://bizfin.test",1]`)),
		"aud object":              signed(goodHeader, with("aud", `{"https://bizfin.test":1}`)),
		"no iss":                  signed(goodHeader, with("iss", "")),
		"iss null":                signed(goodHeader, with("iss", "null")),
		"iss empty":               signed(goodHeader, with("iss", `""`)),
		"iss of another partner":  signed(goodHeader, with("iss", `"other"`)),
		"iss in another case":     signed(goodHeader, with("iss", `"ACME"`)),
		"iss array":               signed(goodHeader, with("iss", `["acme"]`)),
		"no sub":                  signed(goodHeader, with("sub", "")),
		"sub empty":               signed(goodHeader, with("sub", `""`)),
		"sub number":              signed(goodHeader, with("sub", "1")),
		"sub null":                signed(goodHeader, with("sub", "null")),
		"sub of 256 characters":   signed(goodHeader, with("sub", `"`+strings.Repeat("a", 256)+`"`)),
		"NUL in sub":              signed(goodHeader, with("sub", `"a\u0000"`)),
		"lone surrogate in sub":   signed(goodHeader, with("sub", `"a\ud800"`)),
		"email number":            signed(goodHeader, with("email", "1")),
		"email of 321 characters": signed(goodHeader, with("email", `"`+strings.Repeat("a", 321)+`"`)),
		"NUL in email":            signed(goodHeader, with("email", `"\u0000"`)),
		"name object":             signed(goodHeader, with("name", "{}")),
		"name of 501 characters":  signed(goodHeader, with("name", `"`+strings.Repeat("a", 501)+`"`)),
		"NUL in name":             signed(goodHeader, with("name", `"\u0000"`)),
		"jti number":              signed(goodHeader, with("jti", "1")),
		"jti null":                signed(goodHeader, with("jti", "null")),
		"NUL in jti":              signed(goodHeader, with("jti", `"\u0000"`)),
		"iat an hour ahead":       signed(goodHeader, with("iat", in(time.Hour))),
		"iat 31 s ahead":          signed(goodHeader, with("iat", in(31*time.Second))),
		"iat string":              signed(goodHeader, with("iat", `"1"`)),
		"iat null":                signed(goodHeader, with("iat", "null")),
		"nbf 31 s ahead":          signed(goodHeader, claims(nil, `"nbf":`+in(31*time.Second))),
		"nbf string":              signed(goodHeader, claims(nil, `"nbf":"1"`)),
		"nbf null":                signed(goodHeader, claims(nil, `"nbf":null`)),
		"no payload":              signed(goodHeader, with("payload", "")),
		"payload in another case": signed(goodHeader,
			claims(map[string]string{"payload": ""}, `"Payload":`+goodPayload)),
		"all in the header, no exp": signed(`{"alg":"HS256","exp":9999999999}`, with("exp", "")),
	}
	for name, raw := range cases {
		got, err := partnertoken.Verify(raw, expect())
		if !errors.Is(err, partnertoken.ErrInvalid) || errors.Is(err, partnertoken.ErrExpired) {
			t.Errorf("%s: got error %v, want ErrInvalid", name, err)
		}
		if diff := cmp.Diff(partnertoken.Partner{}, got); diff != "" {
			t.Errorf("%s: refused, yet it says %s", name, diff)
		}
	}
}

func TestVerifyTellsExpiredTokensApart(t *testing.T) {
	t.Parallel()
	for name, exp := range map[string]string{
		"a second ago":           in(-time.Second),
		"this very second":       in(0),
		"this second's fraction": in(0) + ".9",
		"within the leeway":      in(-10 * time.Second),
		"zero":                   "0",
		"negative":               "-1",
	} {
		_, err := partnertoken.Verify(signed(goodHeader, with("exp", exp)), expect())
		if !errors.Is(err, partnertoken.ErrExpired) || !errors.Is(err, partnertoken.ErrInvalid) {
			t.Errorf("%s: got error %v, want ErrExpired", name, err)
		}
	}
	forged := signWith(sha256.New, otherSecret, segment(goodHeader)+"."+segment(with("exp", in(-time.Hour))))
	if _, err := partnertoken.Verify(forged, expect()); errors.Is(err, partnertoken.ErrExpired) {
		t.Error("a forged token is told to be expired")
	}
}

func TestVerifyAcceptsAnyOfTheSecrets(t *testing.T) {
	t.Parallel()
	want := expect()
	want.Secrets = [][]byte{otherSecret, secret}
	if _, err := partnertoken.Verify(signed(goodHeader, claims(nil)), want); err != nil {
		t.Error(err)
	}
	want.Secrets = [][]byte{otherSecret}
	if _, err := partnertoken.Verify(signed(goodHeader, claims(nil)), want); !errors.Is(err, partnertoken.ErrInvalid) {
		t.Errorf("got %v after the secret was withdrawn, want ErrInvalid", err)
	}
}

func TestShortSecretsAreRefused(t *testing.T) {
	t.Parallel()
	want := expect()
	want.Secrets = [][]byte{secret, secret[:31]}
	_, err := partnertoken.Verify(signed(goodHeader, claims(nil)), want)
	if !errors.Is(err, partnertoken.ErrWeakSecret) || errors.Is(err, partnertoken.ErrInvalid) {
		t.Errorf("Verify: got %v, want ErrWeakSecret alone", err)
	}
	if _, err := partnertoken.Sign(partnertoken.Claims{}, secret[:31]); !errors.Is(err, partnertoken.ErrWeakSecret) {
		t.Errorf("Sign: got %v, want ErrWeakSecret", err)
	}
}

func TestVerifyRefusesWithoutAnExpectation(t *testing.T) {
	t.Parallel()
	raw := signed(goodHeader, claims(map[string]string{"iss": `""`, "aud": `""`}))
	for name, blank := range map[string]func(*partnertoken.Expect){
		"partner":  func(e *partnertoken.Expect) { e.PartnerID = "" },
		"audience": func(e *partnertoken.Expect) { e.Audience = "" },
		"secrets":  func(e *partnertoken.Expect) { e.Secrets = nil },
		"now":      func(e *partnertoken.Expect) { e.Now = time.Time{} },
	} {
		want := expect()
		blank(&want)
		for _, raw := range []string{raw, signed(goodHeader, claims(nil))} {
			if _, err := partnertoken.Verify(raw, want); !errors.Is(err, partnertoken.ErrInvalid) {
				t.Errorf("no %s: got %v, want ErrInvalid", name, err)
			}
		}
	}
}

func TestReasonsHoldNoTokenContent(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		signed(goodHeader, claims(nil, `"hush":1,"hush":2`)),
		signed(goodHeader, with("iss", `"hush"`)),
		signed(goodHeader, with("aud", `"hush"`)),
		signed(goodHeader, with("exp", `"hush"`)),
		signed(`{"alg":"hush"}`, claims(nil)),
		signed(`{"alg":"HS256","typ":"hush"}`, claims(nil)),
		"hush.hush!.hush",
	} {
		if _, err := partnertoken.Verify(raw, expect()); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("got error %v", err)
		}
	}
}

func TestVerifyReadsWhatSignWrites(t *testing.T) {
	t.Parallel()
	id := "b1"
	payload := partnertoken.Payload{BusinessID: &id, Businesses: []partnertoken.Business{
		{ID: id, Name: "<One> & Söhne", Role: "owner"},
	}, Tier: "paid"}
	raw, err := partnertoken.Sign(partnertoken.Claims{
		PartnerID: "acme", Audience: "https://bizfin.test", Subject: "p-1", Email: "a@b.c", Name: "Ann", ID: "t-1",
		IssuedAt: now, ExpiresAt: now.Add(time.Hour), Payload: payload,
	}, secret)
	if err != nil {
		t.Fatal(err)
	}
	p, err := partnertoken.Verify(raw, expect())
	if err != nil {
		t.Fatal(err)
	}
	got, problems := partnertoken.ParsePayload(p.Payload)
	if diff := cmp.Diff(payload, got); diff != "" || len(problems) > 0 {
		t.Error(diff, problems)
	}
	p.Payload = nil
	want := partnertoken.Partner{
		PartnerID: "acme", Subject: "p-1", Email: "a@b.c", Name: "Ann", ID: "t-1",
		IssuedAt: now.Truncate(time.Second), ExpiresAt: now.Truncate(time.Second).Add(time.Hour),
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
}

func TestSignWritesARevocation(t *testing.T) {
	t.Parallel()
	raw, err := partnertoken.Sign(partnertoken.Claims{PartnerID: "acme", Audience: "https://bizfin.test",
		Subject: "p-1", ExpiresAt: now.Add(time.Hour), Payload: partnertoken.Payload{}}, secret)
	if err != nil {
		t.Fatal(err)
	}
	p, err := partnertoken.Verify(raw, expect())
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"business_id":null,"businesses":[]}`; string(p.Payload) != want {
		t.Errorf("got payload %s, want %s", p.Payload, want)
	}
}

// publicPEM is what an attacker has of an issuer with asymmetric keys.
func publicPEM(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// padTo3 is white space that makes text one byte longer than a multiple of
// three, so that its base64 ends in padding.
func padTo3(text string) string {
	return strings.Repeat(" ", (4-len(text)%3)%3)
}

// stray sets a bit in the last base64 character that decodes to nothing.
func stray(last string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.Index(alphabet, last)|1])
}

func manyBusinesses(n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(
			`{"id":"business-%08d-of-the-accountant","name":"Business number %d and Partners LLC","role":"member"}`, i,
			i,
		)
	}
	return `{"business_id":"business-00000000-of-the-accountant","businesses":[` + strings.Join(items, ",") + `]}`
}

// A token that accepts an agent's sign-in is for that one, and for nothing else.
func TestATokenForASignInIsForItAlone(t *testing.T) {
	t.Parallel()
	verify := func(wanted string, extra ...string) error {
		want := expect()
		want.AgentRequest = wanted
		_, err := partnertoken.Verify(signed(goodHeader, claims(nil, extra...)), want)
		return err
	}
	if err := verify("r-1", `"agent_request":"r-1"`); err != nil {
		t.Error(err)
	}
	if err := verify(""); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"for a sign-in, elsewhere":  verify("", `"agent_request":"r-1"`),
		"null, elsewhere":           verify("", `"agent_request":null`),
		"empty, elsewhere":          verify("", `"agent_request":""`),
		"for another sign-in":       verify("r-2", `"agent_request":"r-1"`),
		"for none":                  verify("r-1"),
		"a beginning of it":         verify("r-1", `"agent_request":"r-"`),
		"a list with it":            verify("r-1", `"agent_request":["r-1"]`),
		"in capitals":               verify("r-1", `"AGENT_REQUEST":"r-1"`),
		"twice, in another case":    verify("r-1", `"agent_request":"r-1"`, `"Agent_Request":"r-1"`),
		"a number that looks alike": verify("1", `"agent_request":1`),
	} {
		if !errors.Is(err, partnertoken.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	written, err := partnertoken.Sign(partnertoken.Claims{PartnerID: "acme",
		Audience: "https://bizfin.test", Subject: "p-1", ExpiresAt: now.Add(time.Minute), AgentRequest: "r-1",
		Payload: partnertoken.Payload{}}, secret)
	want := expect()
	want.AgentRequest = "r-1"
	if _, verifyErr := partnertoken.Verify(written, want); err != nil || verifyErr != nil {
		t.Error(err, verifyErr)
	}
}
