package validate_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"bizfin/server/validate"
)

const sourceID = "0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d11"

// judge returns the problems of a body that must be JSON, as "path code".
func judge(t *testing.T, path, raw string) []string {
	t.Helper()
	_, problems, err := operation(t, "POST", path).Body([]byte(raw))
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, problem := range problems {
		if problem.In != validate.InBody || problem.Message == "" {
			t.Errorf("incomplete problem %+v", problem)
		}
	}
	return brief(problems)
}

// field replaces one member of an otherwise valid transaction.
func field(name, value string) string {
	members := [][2]string{
		{"external_id", `"t1"`}, {"amount", "-12.50"}, {"date", `"2026-01-31"`}, {"description", `"Coffee"`},
		{"pending", "false"}, {"currency", `"USD"`},
	}
	var parts []string
	for _, m := range members {
		if m[0] == name {
			m[1] = value
		}
		parts = append(parts, fmt.Sprintf("%q:%s", m[0], m[1]))
	}
	return batch("{" + strings.Join(parts, ",") + "}")
}

func account(name string) string {
	const body = `{"source_id":%q,"accounts":[` +
		`{"external_id":"a1","name":%s,"type":"credit","currency":"USD","current_balance":0}]}`
	return fmt.Sprintf(body, sourceID, name)
}

func TestMalformedJSONHasNoProblems(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string { // the body itself is the first level
		return `{"unknown":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
	}
	for name, raw := range map[string]string{
		"empty":                   "",
		"white space":             " \n",
		"cut off":                 `{"transactions":[`,
		"garbage after":           batch(item("a")) + "x",
		"a second value":          batch(item("a")) + "{}",
		"duplicate name":          `{"transactions":1,"transactions":[` + item("a") + `]}`,
		"duplicate escaped name":  `{"a":1,"\u0061":2}`,
		"duplicate unknown name":  `{"x":{"a":1,"a":2}}`,
		"invalid UTF-8":           field("description", "\"\xff\""),
		"lone surrogate":          field("description", `"\ud800"`),
		"invalid UTF-8 in a name": "{\"\xff\":1}",
		"byte order mark":         "\ufeff" + batch(item("a")),
		"NaN":                     field("amount", "NaN"),
		"leading zero":            field("amount", "01"),
		"leading plus":            field("amount", "+1"),
		"bare point":              field("amount", "1."),
		"trailing comma":          `{"transactions":[` + item("a") + `,]}`,
		"control character":       field("description", "\"\x01\""),
		"single quotes":           `{'transactions':[]}`,
		"number as a name":        `{1:2}`,
		"33 levels":               nested(33),
		"11000 levels":            nested(11000),
		"unclosed after too many": `{"transactions":[` + strings.Repeat("{},", 600),
		"duplicate in the excess": `{"transactions":[` + strings.Repeat("0,", 600) + `{"a":1,"a":1}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems, err := operation(t, "POST", transactionsPath).Body([]byte(raw))
			if !errors.Is(err, validate.ErrMalformed) || problems != nil {
				t.Errorf("got %v, %v", problems, err)
			}
		})
	}
	if got := judge(t, transactionsPath, nested(32)); len(got) == 0 {
		t.Error("32 levels: no problems")
	}
}

func TestBodyProblems(t *testing.T) {
	t.Parallel()
	at := func(name, code string) []string { return []string{"/transactions/0/" + name + " " + code} }
	for _, test := range []struct {
		name, raw string
		want      []string
	}{
		{"valid", field("", ""), nil},
		{"only what is required", batch(item("a")), nil},
		{"null body", "null", []string{" nullable"}},
		{"array body", "[]", []string{" type"}},
		{"string body", `"a"`, []string{" type"}},
		{"no members", "{}", []string{"/transactions required"}},
		{"no items", batch(), []string{"/transactions minItems"}},
		{"null list", `{"transactions":null}`, []string{"/transactions nullable"}},
		{"null item", batch("null"), []string{"/transactions/0 nullable"}},
		{"missing members are sorted", batch("{}"), []string{
			"/transactions/0/amount required", "/transactions/0/date required",
			"/transactions/0/description required", "/transactions/0/external_id required",
		}},
		{"problems follow the body", batch(`{"date":1,"amount":"1","note":{},"external_id":""}`), []string{
			"/transactions/0/date type", "/transactions/0/amount type", "/transactions/0/note additionalProperties",
			"/transactions/0/external_id minLength", "/transactions/0/description required",
		}},
		{"every item", batch(item("a"), "0", item("b"), "[]"),
			[]string{"/transactions/1 type", "/transactions/3 type"}},
		{"another case of a name", `{"Transactions":[]}`,
			[]string{"/Transactions additionalProperties", "/transactions required"}},
		{"an escaped name is the name", `{"\u0074ransactions":[` + item("a") + `]}`, nil},
		{"a name to escape in a pointer", `{"a/b~c":1,"transactions":[` + item("a") + `]}`,
			[]string{"/a~1b~0c additionalProperties"}},
		{"an empty name", `{"":1,"transactions":[` + item("a") + `]}`, []string{"/ additionalProperties"}},

		{"empty description", field("description", `""`), at("description", "minLength")},
		{"number for a string", field("description", "5"), at("description", "type")},
		{"object for a string", field("description", `{"a":[1]}`), at("description", "type")},
		{"null for a string", field("description", "null"), at("description", "nullable")},
		{"NUL", field("description", `"a\u0000"`), at("description", "pattern")},
		{"NUL with an explicit pattern", field("external_id", `"a\u0000"`), at("external_id", "pattern")},
		{"256 code points", field("external_id", `"`+strings.Repeat("😀", 256)+`"`), nil},
		{"257 code points", field("external_id", `"`+strings.Repeat("😀", 257)+`"`), at("external_id", "maxLength")},
		{"256 escaped code points", field("external_id", `"`+strings.Repeat(`\ud83d\ude00`, 256)+`"`), nil},
		{"lower-case currency", field("currency", `"usd"`), at("currency", "pattern")},
		{"currency and line feed", field("currency", `"USD\n"`), at("currency", "pattern")},
		{"null for an optional field", field("currency", "null"), at("currency", "nullable")},
		{"string for a boolean", field("pending", `"true"`), at("pending", "type")},
		{"number for a boolean", field("pending", "1"), at("pending", "type")},

		{"leap day", field("date", `"2024-02-29"`), nil},
		{"no leap day", field("date", `"2026-02-29"`), at("date", "format")},
		{"no leap day in 1900", field("date", `"1900-02-29"`), at("date", "format")},
		{"leap day in 2000", field("date", `"2000-02-29"`), nil},
		{"30 February", field("date", `"2025-02-30"`), at("date", "format")},
		{"31 April", field("date", `"2025-04-31"`), at("date", "format")},
		{"year 0", field("date", `"0000-01-01"`), at("date", "format")},
		{"year 1", field("date", `"0001-01-01"`), nil},
		{"year 9999", field("date", `"9999-12-31"`), nil},
		{"datetime for a date", field("date", `"2026-01-31T00:00:00Z"`), at("date", "format")},
		{"short date", field("date", `"2026-1-31"`), at("date", "format")},
		{"other digits", field("date", `"２026-01-3"`), at("date", "format")},

		{"largest amount", field("amount", "9999999999999.99"), nil},
		{"smallest amount", field("amount", "-9999999999999.99"), nil},
		{"trailing zeros", field("amount", "1.1000"), nil},
		{"exponent", field("amount", "11e-1"), nil},
		{"negative zero", field("amount", "-0"), nil},
		{"three decimals", field("amount", "1.001"), at("amount", "decimal")},
		{"what a float would round 1", field("amount", "9999999999999.991"), at("amount", "decimal")},
		{"what a float would round 2", field("amount", "9999999999999.9901"), at("amount", "decimal")},
		{"what a float would round 3", field("amount", "0.010000000000000000001"), at("amount", "decimal")},
		{"tiny", field("amount", "1e-400"), at("amount", "decimal")},
		{"too large", field("amount", "10000000000000"), at("amount", "maximum")},
		{"too small", field("amount", "-10000000000000"), at("amount", "minimum")},
		{"beyond a float", field("amount", "1e400"), at("amount", "maximum")},
		{"beyond a big number", field("amount", "-1e5000000"), at("amount", "minimum")},
		{"string for an amount", field("amount", `"1.00"`), at("amount", "type")},
		{"boolean for an amount", field("amount", "true"), at("amount", "type")},

		{"duplicates", batch(item("a"), item("b"), item("a"), item("a")), []string{
			"/transactions/2/external_id duplicate", "/transactions/3/external_id duplicate",
		}},
		{"duplicates by escape", batch(item("a"), strings.Replace(item("a"), `"a"`, `"\u0061"`, 1)),
			[]string{"/transactions/1/external_id duplicate"}},
		{"another case is another id", batch(item("a"), item("A"), item("a ")), nil},
		{"invalid ids are no duplicates", batch(item(""), item("")), []string{
			"/transactions/0/external_id minLength", "/transactions/1/external_id minLength",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, judge(t, transactionsPath, test.raw)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUUIDForms(t *testing.T) {
	t.Parallel()
	for value, ok := range map[string]bool{
		sourceID:                               true,
		strings.ToUpper(sourceID):              true,
		"00000000-0000-0000-0000-000000000000": true,
		"ffffffff-ffff-ffff-ffff-ffffffffffff": true,
		"0190f2a4-7c1e-9d3a-9f10-2b6f0c9a1d11": false, // version 9
		"0190f2a4-7c1e-7d3a-7f10-2b6f0c9a1d11": false, // variant 7
		"{" + sourceID + "}":                   false,
		"urn:uuid:" + sourceID:                 false,
		"x" + sourceID + "x":                   false,
		strings.ReplaceAll(sourceID, "-", ""):  false,
		sourceID + `\n`:                        false,
		"nope":                                 false,
	} {
		got := judge(t, accountsPath, strings.Replace(account(`"n"`), sourceID, value, 1))
		if (got == nil) != ok {
			t.Errorf("%s: got %v", value, got)
		}
	}
}

func TestTrimmedTextsReachTheHandlerTrimmed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 256)
	for name, want := range map[string]string{
		`"Main"`:                                  "Main",
		`"  Main account \t\n"`:                   "Main account",
		`"\ufeff\u00a0\u2003\u0085Main\u000b"`:    "Main",
		"\"\u00a0M\\\"a\\\\in\u3000\"":            `M"a\in`,
		`"  ` + long + `  "`:                      long,
		`" \u003cb\u003e & \u2028 \ud83d\ude00 "`: "<b> & \u2028 😀",
	} {
		text, problems, err := operation(t, "POST", accountsPath).Body([]byte(account(name)))
		if err != nil || problems != nil {
			t.Errorf("%s: %v %v", name, problems, err)
			continue
		}
		var upload accountUpload
		if err := validate.Bind(text, &upload); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := upload.Accounts[0]; got.Name != want || got.ExternalID != "a1" || got.Type != "credit" ||
			upload.SourceID != sourceID {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestLengthsCountAfterTrimming(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		`" \u3000\ufeff "`:                     "/accounts/0/name minLength",
		`" ` + strings.Repeat("n", 257) + ` "`: "/accounts/0/name maxLength",
	} {
		if diff := cmp.Diff([]string{want}, judge(t, accountsPath, account(name))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestBodyDoesNotChangeWhatItWasGiven(t *testing.T) {
	t.Parallel()
	raw := account(`"  \u0041 "`)
	given := []byte(raw)
	text, _, err := operation(t, "POST", accountsPath).Body(given)
	if err != nil {
		t.Fatal(err)
	}
	if string(given) != raw || string(text) != account(`"A"`) {
		t.Errorf("given %s, text %s", given, text)
	}
}

func TestNullableAndBoundedFields(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][]string{
		`{"answer":"yes","selectedOption":null}`:                      nil,
		`{"answer":" yes ","weight":1}`:                               nil,
		`{"answer":"yes","weight":1.0}`:                               {"/weight type"},
		`{"answer":"yes","weight":1e0}`:                               {"/weight type"},
		`{"answer":"yes","weight":0}`:                                 {"/weight minimum"},
		`{"answer":"yes","weight":-0}`:                                {"/weight minimum"},
		`{"answer":"yes","weight":2147483647}`:                        nil,
		`{"answer":"yes","weight":2147483648}`:                        {"/weight maximum"},
		`{"answer":"yes","weight":1` + strings.Repeat("0", 99) + `}`:  {"/weight maximum"},
		`{"answer":"yes","weight":-1` + strings.Repeat("0", 99) + `}`: {"/weight minimum"},
		`{"answer":"yes","tip":0}`:                                    nil,
		`{"answer":"yes","tip":99.99}`:                                nil,
		`{"answer":"yes","tip":-0.01}`:                                {"/tip minimum"},
		`{"answer":"yes","tip":100}`:                                  {"/tip maximum"},
		`{"answer":"yes","mood":null}`:                                nil,
		`{"answer":"yes","mood":"good"}`:                              nil,
		`{"answer":"yes","mood":"null"}`:                              {"/mood enum"},
		`{"answer":null}`:                                             {"/answer nullable"},
	} {
		if diff := cmp.Diff(want, judge(t, answersPath, raw)); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
}

func TestAnOpenObjectIgnoresUnknownFields(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][]string{
		`{"type":"accounts.changed","more":{"a":[1,"\u0000"]}}`: nil,
		`{"type":"accounts.changed","current_balance":1.005}`:   nil,
		`{"type":"accounts.changed","current_balance":1e400}`:   {"/current_balance maximum"},
		`{"type":"accounts.created","current_balance":"1"}`:     {"/type enum", "/current_balance type"},
		`{"Type":"accounts.changed"}`:                           {"/type required"},
	} {
		if diff := cmp.Diff(want, judge(t, webhookPath, raw)); diff != "" {
			t.Errorf("%s: %s", raw, diff)
		}
	}
}

func TestTooManyItemsAreOneProblem(t *testing.T) {
	t.Parallel()
	bad := strings.Repeat("{},", 500)
	if diff := cmp.Diff([]string{"/transactions maxItems"}, judge(t, transactionsPath, batch(bad+"{}"))); diff != "" {
		t.Error(diff)
	}
	raw := `{"first":1,` + batch(bad + "{}")[1:]
	if diff := cmp.Diff([]string{"/first additionalProperties", "/transactions maxItems"},
		judge(t, transactionsPath, raw)); diff != "" {
		t.Error(diff)
	}
}

func TestAtMostAHundredProblemsAreListed(t *testing.T) {
	t.Parallel()
	for items, last := range map[int]string{99: "/transactions/98 type", 100: "/transactions/99 type",
		101: " truncated", 500: " truncated"} {
		got := judge(t, transactionsPath, batch(strings.Repeat("0,", items-1)+"0"))
		if len(got) != min(items, validate.MaxProblems) || got[len(got)-1] != last {
			t.Errorf("%d items: %d problems, the last %q", items, len(got), got[len(got)-1])
		}
	}
	// A hundred missing fields and one more, so that the limit falls inside an object.
	if got := judge(t, transactionsPath, batch(strings.Repeat("{},", 25)+"0")); len(got) != 100 ||
		got[99] != " truncated" {
		t.Errorf("%d problems, the last %q", len(got), got[len(got)-1])
	}
}

func TestALongUnknownNameIsCut(t *testing.T) {
	t.Parallel()
	got := judge(t, transactionsPath, `{"`+strings.Repeat("é", 100000)+`":1,"transactions":[`+item("a")+`]}`)
	if diff := cmp.Diff([]string{"/" + strings.Repeat("é", 64) + " additionalProperties"}, got); diff != "" {
		t.Error(diff)
	}
}

// Sixteen times the body costs about sixteen times as much, and what grows with its square 256 times. It is the
// processor's time that is compared, which others on the machine do not use up.
func TestHostileBodiesAreCheap(t *testing.T) {
	const larger, most = 16, 5 * 16
	o := operation(t, "POST", transactionsPath)
	cost := func(raw []byte) time.Duration {
		return processorTime(t, func() {
			_, problems, _ := o.Body(raw)
			if len(problems) > validate.MaxProblems {
				t.Errorf("%.40s…: %d problems", raw, len(problems))
			}
		})
	}
	small := hostileBodies(oneMiB / larger)
	for name, raw := range hostileBodies(oneMiB) {
		whole, part := cost(raw), cost(small[name])
		for range 2 { // what others do to the memory's caches does not happen each time
			if whole > most*part+time.Millisecond {
				whole, part = min(whole, cost(raw)), max(part, cost(small[name]))
			}
		}
		if whole > most*part+time.Millisecond {
			t.Errorf("%s: %v, and a body of a part of the size %v", name, whole, part)
		}
	}
}

// Where nobody can have meant what is there, the rest is not read: what is told is what was found. Anything less is
// judged whole.
func TestABodyInWhichTooMuchIsWrongIsReadNoFurther(t *testing.T) {
	t.Parallel()
	const tooMuch, most = 5000, 500
	o := operation(t, "POST", transactionsPath)
	items := func(n int) string { return `{"transactions":[` + strings.Repeat(`{},`, n) }
	names := func(n int) string {
		var list strings.Builder
		for i := range n {
			fmt.Fprintf(&list, `"u%d":0,`, i)
		}
		return `{` + list.String()
	}
	for name, c := range map[string]struct {
		raw     string
		problem string // the first; none where it is no JSON
		count   int
	}{
		"items":       {items(most + tooMuch + 1), "/transactions maxItems", 1},
		"fewer items": {items(most + tooMuch), "", 0},
		"names":       {names(tooMuch + 1), "/u0 additionalProperties", validate.MaxProblems},
		"fewer names": {names(tooMuch), "", 0},
		"names inside": {`{"transactions":[` + names(tooMuch+1), "/transactions/0/u0 additionalProperties",
			validate.MaxProblems},
	} {
		_, problems, err := o.Body([]byte(c.raw + "\x00 no JSON"))
		if c.count == 0 {
			if err != validate.ErrMalformed || len(problems) > 0 {
				t.Errorf("%s: %v and %d problems", name, err, len(problems))
			}
			continue
		}
		if err != nil || len(problems) != c.count || problems[0].Path+" "+problems[0].Code != c.problem {
			t.Errorf("%s: %v, %d problems, the first is %.1v", name, err, len(problems), problems)
		}
	}
}

// processorTime is what a thread works for while it does something, which does not begin others.
func processorTime(t *testing.T, do func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() time.Duration {
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
			t.Fatal(err)
		}
		return time.Duration(ts.Nano())
	}
	began := now()
	do()
	return now() - began
}

func TestMessagesSayWhatIsExpected(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, raw, want string }{
		{transactionsPath, field("currency", `"usd"`), "must be three uppercase letters such as USD"},
		{transactionsPath, field("amount", "0.001"), "must have at most two decimals"},
		{transactionsPath, field("amount", "1e13"), "must be at most 9999999999999.99"},
		{transactionsPath, field("amount", "-1e13"), "must be at least -9999999999999.99"},
		{transactionsPath, field("external_id", `""`), "must have at least 1 character (Unicode code points)"},
		{transactionsPath, field("description", `"`+strings.Repeat("d", 4097)+`"`),
			"must have at most 4096 characters (Unicode code points)"},
		{transactionsPath, field("date", `"2026-02-30"`),
			"must be a real calendar date written YYYY-MM-DD, in the years 0001 to 9999"},
		{transactionsPath, batch(), "must have at least 1 item"},
		{transactionsPath, batch(item("a"), item("a")),
			"must differ from the external_id of every other item in the list"},
		{transactionsPath, `{"x":1,"transactions":[` + item("a") + `]}`,
			"is not a known field; known fields are: transactions"},
		{accountsPath, strings.Replace(account(`"n"`), "credit", "card", 1),
			"must be one of: depository, credit, loan, investment, brokerage, other"},
		{accountsPath, strings.Replace(account(`"n"`), sourceID, "nope", 1),
			"must match the pattern documented for this field"},
		{accountsPath, account(`" "`), "must have at least 1 character (Unicode code points) after " +
			"trimming white space"},
		{accountsPath, account("null"), "must be a string, not null"},
	} {
		_, problems, err := operation(t, "POST", test.path).Body([]byte(test.raw))
		if err != nil || len(problems) != 1 || problems[0].Message != test.want {
			t.Errorf("got %+v, %v, want %q", problems, err, test.want)
		}
	}
}

func TestEachListCountsItsOwnDuplicates(t *testing.T) {
	t.Parallel()
	doc := parse(t, `{openapi: 3.0.3, info: {title: t, version: '1'}, paths: {/a: {post: {
  responses: {'200': {description: ok}},
  requestBody: {required: true, content: {application/json: {schema: {
    type: array, x-unique-by: id, items: {$ref: '#/components/schemas/Outer'}}}}}}}},
  components: {schemas: {
    Inner: {type: object, additionalProperties: false, properties: {id: {type: string}}},
    Outer: {type: object, additionalProperties: false, properties: {id: {type: string},
      inner: {type: array, x-unique-by: id, items: {$ref: '#/components/schemas/Inner'}}}}}}}`)
	v, err := validate.New(doc)
	if err != nil {
		t.Fatal(err)
	}
	o, _ := v.Route("POST", "/a")
	for raw, want := range map[string][]string{
		`[{"inner":[{"id":"a"}],"id":"a"},{"inner":[{"id":"a"}],"id":"b"}]`: nil,
		`[{"inner":[{"id":"a"},{"id":"a"}],"id":"b"},{"inner":[{"id":"c"}],"id":"b"}]`: {"/0/inner/1/id duplicate",
			"/1/id duplicate"},
	} {
		_, problems, err := o.Body([]byte(raw))
		if diff := cmp.Diff(want, brief(problems)); diff != "" || err != nil {
			t.Errorf("%s: %v %s", raw, err, diff)
		}
	}
}
