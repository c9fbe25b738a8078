package apitest

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"
)

// fuzzed is a business with an account and a transaction, shared by all inputs of a fuzz target.
func fuzzed(f *testing.F) uploads {
	o := start(f).open()
	account := o.uploadAccount("first")
	o.upload(account, transaction("t1", "-12.30", "2026-03-31", "COFFEE BEANS"))
	return uploads{o, account}
}

// fuzzInputs names how many inputs of chance's making each fuzz target tries in an ordinary run, beside its own: "make
// test" sets it. They are made of its own, so a token or a cursor among them is one that this database knows. With
// fuzzSeed they are the same again.
const (
	fuzzInputs = "BIZFIN_TEST_FUZZ"
	fuzzSeed   = "BIZFIN_TEST_FUZZ_SEED"
)

// tried are a target's inputs: its own, and what chance makes of them.
func tried(f *testing.F, own ...string) []string {
	seed := setting(f, fuzzSeed, rand.Uint64())
	f.Logf("%s=%d makes the same inputs again", fuzzSeed, seed)
	random, all := rand.New(rand.NewPCG(seed, 0)), slices.Clone(own)
	for range setting(f, fuzzInputs, 0) {
		all = append(all, mutated(random, own))
	}
	return all
}

// mutated is one of some texts with up to four changes: bytes are changed, left out, repeated, or come from another
// text.
func mutated(random *rand.Rand, texts []string) string {
	text := []byte(texts[random.IntN(len(texts))])
	for range 1 + random.IntN(4) {
		from := random.IntN(len(text) + 1)
		to := min(len(text), from+random.IntN(8))
		switch other := texts[random.IntN(len(texts))]; random.IntN(5) {
		case 0:
			text = slices.Insert(text, from, byte(random.UintN(256)))
		case 1:
			if from < len(text) {
				text[from] ^= 1 << random.UintN(8)
			}
		case 2:
			text = slices.Delete(text, from, to)
		case 3:
			text = slices.Insert(text, from, bytes.Repeat(text[from:to], 1+random.IntN(30))...)
		case 4:
			text = append(text[:from], other[random.IntN(len(other)+1):]...)
		}
	}
	return string(text)
}

// contractual fails the test where an answer is a failure, or has another shape than the document gives it; what the
// document does not know of is judged here, the rest by the harness.
func (r answer) contractual(statuses ...int) {
	r.t.Helper()
	if !slices.Contains(statuses, r.status) {
		r.t.Fatalf("status %d, want one of %v: %s", r.status, statuses, r.body)
	}
	if r.status == 200 {
		return
	}
	var body struct {
		Error  string
		Issues []struct{ In, Path, Code, Message string }
	}
	decoder := json.NewDecoder(bytes.NewReader(r.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil || body.Error == "" || !utf8.Valid(r.body) {
		r.t.Fatalf("no error body: %v: %s", err, r.body)
	}
	if (r.status == 422) != (len(body.Issues) > 0) || len(body.Issues) > 100 {
		r.t.Fatalf("%d with %d issues: %s", r.status, len(body.Issues), r.body)
	}
	for _, issue := range body.Issues {
		if issue.In == "" || issue.Code == "" || issue.Message == "" || issue.Path != "" && issue.Path[0] != '/' {
			r.t.Fatalf("incomplete issue: %s", r.body)
		}
	}
}

// sendable replaces what would end the line of a request.
func sendable(text string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(text, "%FF"))
}

func FuzzQueryParametersNeverFail(f *testing.F) {
	u := fuzzed(f)
	routes := []string{"/transactions", "/counterparties", "/outstanding-issues", "/accounts", "/profile",
		"/reports/cashflow", "/reports/pnl"}
	own := []string{
		"limit=20&query=coffee", "limit=0", "limit=1e1&limit=2", "accountIds=%5B%22a%22%5D", "accountIds[0]=a",
		"dateFrom=2026-01-01&dateTo=2026-02-30",
		"dateFrom=9999-12-31T23:59:59.999999999Z", "dateTo=0001-01-01T00:00Z",
		"amountFrom=-9999999999999.99&amountTo=1e-400", "query=%00%FF%ED%A0%80", "%zz", "a;b", "&&=&=",
		"query=%25_%5C%27", "categoryPath=expense", "counterpartyId=%F0%9F%98%80", "cursor=AQ", "needsAttention=true",
		"relationship=supplier&type=company",
		"startDate=2026-01-01&endDate=2026-12-31&periodLimit=9223372036854775807",
		"startDate=0001-01-01&endDate=9999-12-31&periodGrouping=day",
		"startDate=2026-01-01&endDate=2026-12-31&categoryPaths=[[]]",
		`startDate=2026-01-01&endDate=2026-12-31&categoryNames=["\u0000"]&counterpartyIds=["x"]`, "includeInactive=null", "objectType=company",
		"startDate=0001-01-01&endDate=9999-12-31&periodGrouping=quarter&periodLimit=1",
		"startDate=9999-12-31&endDate=9999-12-31&periodGrouping=week",
		"startDate=0001-01-01&endDate=0001-01-01&periodGrouping=week",
	}
	for i, query := range tried(f, own...) {
		f.Add(uint8(i), query)
	}
	for _, query := range own {
		for route := range routes {
			f.Add(uint8(route), query)
		}
	}
	f.Fuzz(func(t *testing.T, route uint8, query string) {
		t.Parallel()
		path := u.path + routes[int(route)%len(routes)]
		r, err := http.NewRequest("GET", u.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Path, r.URL.RawQuery, r.Header = "/api/v1"+path, strings.ReplaceAll(sendable(query), "#", "%23"),
			u.header.Clone()
		if len(r.URL.RawQuery) > 100_000 {
			t.Skip("longer than a request line may be")
		}
		u.in(t).do(r).contractual(200, 422)
	})
}

func FuzzCursorsLeadNowhereElse(f *testing.F) {
	u := fuzzed(f)
	var rows []M
	for i := range 5 {
		rows = append(rows, transaction("more-"+string(rune('a'+i)), "1", "2026-01-01", "d"))
	}
	u.upload(u.account, rows...)
	next := u.get(u.path + "/transactions?limit=1").text("nextCursor")
	for _, cursor := range tried(f, next, next[1:], next+"=", "", "AQ", strings.Repeat("A", 44),
		strings.Repeat("_", 44), strings.Repeat("-", 512), "\x00", "é", next[:12]+strings.Repeat("_", len(next)-12),
		next[:12]+strings.Repeat("A", len(next)-12)) {
		f.Add(cursor)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		t.Parallel()
		in := u.in(t)
		for _, path := range []string{"/transactions?cursor=", "/counterparties?cursor=",
			"/outstanding-issues?cursor="} {
			r, err := http.NewRequest("GET", u.url+"/api/v1"+u.path+path+escape(cursor), nil)
			if err != nil || len(cursor) > 30_000 {
				t.Skip("no request line")
			}
			r.Header = u.header.Clone()
			in.do(r).contractual(200, 422)
		}
	})
}

// escape percent-encodes every byte, so that the value arrives as it is.
func escape(text string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte('%')
		b.WriteByte(digits[text[i]>>4])
		b.WriteByte(digits[text[i]&15])
	}
	return b.String()
}

func FuzzOnlyTheSignedTokenIsAccepted(f *testing.F) {
	u := fuzzed(f)
	signed := strings.TrimPrefix(u.header.Get("Authorization"), "Bearer ")
	opaque := u.oauth(u.person)
	parts := strings.Split(signed, ".")
	for _, credential := range tried(f,
		signed, signed+"=", signed+".", signed[1:], signed[:len(signed)-1], parts[0]+"."+parts[1]+".",
		parts[0]+".."+parts[2], "..", "...", "",
		"e30.e30.e30", "eyJhbGciOiJub25lIn0."+parts[1]+".", opaque, opaque+"x", "mcp_", "\xff\x80",
		strings.Repeat(".", 1000), parts[0]+"."+parts[1]+"."+strings.ToUpper(parts[2]),
	) {
		f.Add(credential, true)
		f.Add(credential, false)
	}
	f.Fuzz(func(t *testing.T, credential string, withPartner bool) {
		t.Parallel()
		if len(credential) > 100_000 || strings.ContainsFunc(credential,
			func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Skip("no header value")
		}
		header := http.Header{"Authorization": {"Bearer " + credential}}
		known := opaque
		if withPartner {
			header.Set("X-Service-Partner", u.partner)
			known = signed
		}
		got := u.api.in(t).with(header).get(u.path + "/profile")
		if strings.TrimRight(credential, " ") == known {
			got.contractual(200)
		} else {
			got.contractual(401)
		}
	})
}

func FuzzUploadedBodiesAreTakenOrRefused(f *testing.F) {
	u := fuzzed(f)
	for _, raw := range tried(f,
		transactionBody(object(transactionMembers)), transactionBody(object(transactionMembers, "amount",
			"9999999999999.99", "pending", "true", "currency", `"EUR"`)),
		transactionBody(object(transactionMembers, "amount", "1e400")),
		transactionBody(object(transactionMembers, "amount", "1e-400")),
		transactionBody(object(transactionMembers, "date", `"0001-01-01"`)),
		transactionBody(object(transactionMembers, "date", `"9999-12-31"`)),
		transactionBody(object(transactionMembers, "description", `"\u0000"`)),
		transactionBody(object(transactionMembers, "description", `"\ud83d\ude00"`)),
		transactionBody(object(transactionMembers, "description", `"\ud83d"`)),
		transactionBody(object(transactionMembers, "external_id", "\"\xff\"")),
		transactionBody(object(transactionMembers), object(transactionMembers)),
		"", "null", "[]", "{}", "{", "\ufeff{}", `{"a":1,"a":2}`, strings.Repeat("[", 40), `{"transactions":[{}]} x`,
		`{"transactions":[null,1,"",[],{}]}`,
		u.accountBody(object(accountMembers)), u.accountBody(object(accountMembers, "name", `" \u00a0"`)),
		u.accountBody(object(accountMembers, "name", `" \ud83d\ude00\ufeff"`)),
	) {
		f.Add([]byte(raw), true)
		f.Add([]byte(raw), false)
	}
	f.Fuzz(func(t *testing.T, raw []byte, accounts bool) {
		t.Parallel()
		path := u.path + "/accounts/" + u.account + "/transactions"
		if accounts {
			path = u.path + "/accounts"
		}
		got := u.in(t).send("POST", path, "application/json", slices.Concat(raw))
		got.contractual(200, 400, 413, 422)
		if got.status == 200 && !json.Valid(raw) {
			t.Errorf("took what is no JSON: %q", raw)
		}
	})
}

func FuzzPathSegmentsNeverFail(f *testing.F) {
	u := fuzzed(f)
	for _, segment := range tried(f, "nope", "", ".", "..", "/", "%", "%zz", "\x00", "\xff", "é", uuid.NewString(),
		u.organization, "{"+u.organization+"}", "urn:uuid:"+u.organization, strings.Repeat("x", 300)) {
		f.Add(segment)
	}
	f.Fuzz(func(t *testing.T, segment string) {
		t.Parallel()
		if len(segment) > 30_000 {
			t.Skip("longer than a request line may be")
		}
		in := u.in(t)
		for _, path := range []string{"/organizations/" + escape(segment) + "/profile",
			u.path + "/transactions/" + escape(segment), u.path + "/counterparties/" + escape(segment)} {
			r, err := http.NewRequest("GET", u.url+"/api/v1"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header = u.header.Clone()
			in.do(r).contractual(200, 403, 404, 422)
		}
	})
}
