package validate_test

import (
	stdjson "encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bizfin/internal/money"
	"bizfin/internal/visible"
	"bizfin/server/validate"
)

// judges holds the compiled operations beside the same ones judged by kin-openapi.
type judges struct {
	operation *validate.Operation
	kin       func(any) error
	into      func() any
}

func allJudges(t testing.TB) map[string]judges {
	return map[string]judges{
		transactionsPath: {operation(t, "POST", transactionsPath), kinBody(t, transactionsPath),
			func() any { return new(transactionUpload) }},
		accountsPath: {operation(t, "POST", accountsPath), kinBody(t, accountsPath),
			func() any { return new(accountUpload) }},
	}
}

// compare fails where the compiled schema and the oracle disagree about raw.
func (j judges) compare(t *testing.T, raw []byte) (accepted bool) {
	t.Helper()
	text, problems, err := j.operation.Body(raw)
	if err != nil {
		return false // the syntax is stricter than encoding/json's, and has a table of its own
	}
	if !stdjson.Valid(raw) || !utf8.Valid(raw) {
		t.Fatalf("no JSON, but judged: %q", raw)
	}
	if len(problems) > validate.MaxProblems {
		t.Errorf("%d problems", len(problems))
	}
	tree := decode(t, raw)
	trimNames(tree)
	oracle := j.kin(tree)
	if oracle == nil {
		oracle = beyondKin(tree)
	}
	if (len(problems) == 0) != (oracle == nil) {
		t.Fatalf("%q\nproblems: %+v\noracle: %v", raw, problems, oracle)
	}
	if len(problems) > 0 {
		return false
	}
	if err := validate.Bind(text, j.into()); err != nil {
		t.Fatalf("accepted, but does not bind: %v\n%q", err, text)
	}
	return true
}

// trimNames does what x-trim asks for.
func trimNames(value any) {
	body, _ := value.(map[string]any)
	accounts, _ := body["accounts"].([]any)
	for _, a := range accounts {
		account, _ := a.(map[string]any)
		if name, ok := account["name"].(string); ok {
			account["name"] = visible.Trim(name)
		}
	}
}

// beyondKin judges a body that kin accepts by the rules it does not know or judges by floats.
func beyondKin(value any) error {
	body := value.(map[string]any)
	for _, list := range []string{"transactions", "accounts"} {
		items, _ := body[list].([]any)
		ids := map[any]bool{}
		for _, i := range items {
			item := i.(map[string]any)
			if ids[item["external_id"]] {
				return fmt.Errorf("duplicate")
			}
			ids[item["external_id"]] = true
			for name, member := range item {
				switch member := member.(type) {
				case stdjson.Number:
					if !wholeCents(string(member)) {
						return fmt.Errorf("%s is no amount", name)
					}
				case string:
					if strings.Contains(member, "\x00") {
						return fmt.Errorf("NUL in %s", name)
					}
					if day, err := time.Parse(time.DateOnly, member); name == "date" && (err != nil || day.Year() < 1) {
						return fmt.Errorf("%s is no date", name)
					}
				}
			}
		}
	}
	return nil
}

func wholeCents(literal string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(literal), "e")
	if len(exponent) > 4 {
		return strings.Trim(mantissa, "-0.") == ""
	}
	cents, ok := new(big.Rat).SetString(literal)
	if !ok {
		return false
	}
	cents.Mul(cents, big.NewRat(100, 1))
	limit := new(big.Int).SetInt64(int64(money.Max))
	return cents.IsInt() && new(big.Int).Abs(cents.Num()).Cmp(limit) <= 0
}

func FuzzBody(f *testing.F) {
	f.Add([]byte(batch(item("a"), item("b"))))
	f.Add([]byte(batch(item("a"), item("a"))))
	f.Add([]byte(batch(`{"external_id":"é\u0000","amount":9999999999999.991,"date":"2025-02-30","description":"",` +
		`"pending":null,"currency":"usd","x":{}}`)))
	f.Add([]byte(account(`" \ufeffMain\u00a0"`)))
	f.Add([]byte(`{"transactions":[[],{},null,0,"",true],"accounts":{}}`))
	f.Add([]byte("{\"\xff\":1}"))
	all := allJudges(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, j := range all {
			j.compare(t, raw)
		}
	})
}

// Random bodies near the edge between valid and not, which byte fuzzing seldom reaches.
func TestCompiledSchemaAgreesWithKin(t *testing.T) {
	t.Parallel()
	all := allJudges(t)
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	const rounds = 5_000
	for range rounds {
		if all[transactionsPath].compare(t, []byte(randomBody(random, "transactions", transactionFields))) {
			accepted++
		}
		if all[accountsPath].compare(t, []byte(randomBody(random, "accounts", accountFields))) {
			accepted++
		}
	}
	if accepted < rounds/10 || accepted > 2*rounds*9/10 {
		t.Errorf("%d of %d bodies were valid: the generator is not near the edge", accepted, 2*rounds)
	}
}

var (
	texts   = []string{`"a"`, `"b"`, `"c"`, `"d"`, `" a "`, `"é"`, `"\u00e9"`}
	amounts = []string{"0", "-0", "1.1", "1.10", "-12.5e1", "9999999999999.99", "-9999999999999.99", "1E2", "100e-2"}
	odd     = []string{
		`""`, `" "`, `"\ufeff\u2003"`, `"\u0000"`, "null", "true", "{}", "[]", "0", `{"a":[1,{"b":null}]}`,
		"1.001", "1e-3", "10000000000000", "-1e13", "9999999999999.991", "1e400", "1e-400", "1e999999", "0e999999",
		`"1.00"`,
		`"2025-02-29"`, `"2025-04-31"`, `"0000-01-01"`, `"2025-1-01"`, `"usd"`, `"USDX"`, `"USD\n"`,
		`"` + strings.Repeat("x", 256) + `"`, `"` + strings.Repeat("😀", 256) + `"`, `"` + strings.Repeat("x", 257) +
			`"`, `" ` + strings.Repeat("x", 256) + ` "`,
	}
	transactionFields = map[string][]string{
		"external_id": texts, "description": texts, "amount": amounts,
		"date":    {`"2024-02-29"`, `"2026-12-31"`, `"0001-01-01"`},
		"pending": {"true", "false"}, "currency": {`"USD"`, `"\u0045UR"`},
	}
	accountFields = map[string][]string{
		"external_id": texts, "name": texts, "type": {`"credit"`, `"other"`}, "currency": {`"USD"`},
		"current_balance": amounts,
	}
)

func randomBody(random *rand.Rand, list string, fields map[string][]string) string {
	pick := func(values []string) string { return values[random.IntN(len(values))] }
	var items []string
	for range random.IntN(4) {
		var members []string
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			values := fields[name]
			switch random.IntN(40) {
			case 0: // left out
			case 1:
				members = append(members, strconv.Quote(name)+":"+pick(odd))
			case 2:
				members = append(members, strconv.Quote(strings.ToUpper(name))+":"+pick(values))
			default:
				members = append(members, strconv.Quote(name)+":"+pick(values))
			}
		}
		items = append(items, "{"+strings.Join(members, ",")+"}")
	}
	if random.IntN(40) == 0 {
		items = append(items, pick(odd))
	}
	body := strconv.Quote(list) + ":[" + strings.Join(items, ",") + "]"
	if list == "accounts" {
		body += `,"source_id":"` + sourceID + `"`
	}
	return "{" + body + "}"
}

// checkAcceptedQuery reads an accepted query with the parsers that a handler has.
func checkAcceptedQuery(t *testing.T, query string) {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	for name, given := range values {
		if len(given) != 1 {
			t.Errorf("%q: %s is repeated", query, name)
		}
		var err error
		switch text := given[0]; name {
		case "limit":
			var n int
			if n, err = strconv.Atoi(text); n < 1 || n > 50 {
				t.Errorf("%q: limit %d", query, n)
			}
		case "periodLimit":
			_, err = strconv.Atoi(text)
		case "needsAttention":
			_, err = strconv.ParseBool(text)
		case "amountFrom":
			_, err = money.Parse(text)
		case "startDate":
			_, _, err = validate.DateOrDateTime(text)
		case "accountIds":
			var ids []string
			err = stdjson.Unmarshal([]byte(text), &ids)
		case "categoryPaths":
			var paths [][]string
			err = stdjson.Unmarshal([]byte(text), &paths)
		case "query", "dateField":
		default:
			t.Errorf("%q: %s is unknown", query, name)
		}
		if err != nil {
			t.Errorf("%q: %s: %v", query, name, err)
		}
	}
}
