package apitest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bizfin/server"
)

// The members of a valid item, each as JSON text.
var (
	accountMembers = [][2]string{{"external_id", `"a1"`}, {"name", `"Main"`}, {"type", `"depository"`},
		{"currency", `"USD"`}, {"current_balance", `1.00`}}
	transactionMembers = [][2]string{{"external_id", `"t1"`}, {"amount", `1.00`}, {"date", `"2026-01-31"`},
		{"description", `"Coffee"`}}
)

// object writes members as JSON; changes are names and texts, and the text "" leaves a member out.
func object(members [][2]string, changes ...string) string {
	members = slices.Clone(members)
	for i := 0; i < len(changes); i += 2 {
		at := slices.IndexFunc(members, func(m [2]string) bool { return m[0] == changes[i] })
		switch {
		case at < 0:
			members = append(members, [2]string{changes[i], changes[i+1]})
		case changes[i+1] == "":
			members = slices.Delete(members, at, at+1)
		default:
			members[at][1] = changes[i+1]
		}
	}
	var parts []string
	for _, m := range members {
		parts = append(parts, fmt.Sprintf("%q:%s", m[0], m[1]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// accountBody is a raw upload of accounts into the office's source.
func (o *office) accountBody(items ...string) string {
	return fmt.Sprintf(`{"source_id":%q,"accounts":[%s]}`, o.source, strings.Join(items, ","))
}

func transactionBody(items ...string) string {
	return `{"transactions":[` + strings.Join(items, ",") + `]}`
}

// uploads sends raw bodies to one account of a new business, and counts what they leave behind.
type uploads struct {
	*office
	account string
}

func newUploads(t *testing.T) uploads {
	o := shared(t).open()
	return uploads{o, o.uploadAccount("first")}
}

func (u uploads) in(t testing.TB) uploads {
	a := u.api.in(t)
	o := *u.office
	o.caller = &caller{api: a, header: u.header}
	return uploads{&o, u.account}
}

func (u uploads) accounts(raw string) answer { u.t.Helper(); return u.post(u.path+"/accounts", raw) }

func (u uploads) transactions(raw string) answer {
	u.t.Helper()
	return u.post(u.path+"/accounts/"+u.account+"/transactions", raw)
}

// untouched fails the test where a refused request has changed something.
func (u uploads) untouched() {
	u.t.Helper()
	accounts := u.get(u.path + "/accounts?includeInactive=true").want(200)
	if accounts.size("accounts") != 1 || accounts.text("accounts", 0, "externalId") != "first" ||
		accounts.text("accounts", 0, "name") != "Account first" {
		u.t.Errorf("a refused upload left %s", accounts.body)
	}
	if accounts.get("accounts", 0, "sync", "status") != "never" {
		u.t.Errorf("a refused upload counts as one: %s", accounts.body)
	}
	if found := u.get(u.path + "/transactions").want(200); found.size("transactions") != 0 {
		u.t.Errorf("a refused upload left %s", found.body)
	}
}

func TestMoneyIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	for i, test := range []struct{ literal, stored string }{
		{"0", "0.00"}, {"-0", "0.00"}, {"0.00", "0.00"}, {"1.10", "1.10"}, {"-1.10", "-1.10"}, {"0.01", "0.01"},
		{"-0.01", "-0.01"},
		{"1e2", "100.00"}, {"1E+2", "100.00"}, {"12.340", "12.34"}, {"1.23e1", "12.30"}, {"123e-2", "1.23"},
		{"1100e-3", "1.10"},
		{"9999999999999.99", "9999999999999.99"}, {"-9999999999999.99", "-9999999999999.99"},
		{"999999999999999e-2", "9999999999999.99"},
		{"0.29", "0.29"}, {"1.15", "1.15"}, {"4503599627370.49", "4503599627370.49"}, {"8.41", "8.41"},
		{"0e400", "0.00"}, {"9999999999999.990000", "9999999999999.99"},
	} {
		id := fmt.Sprintf("%03d", i)
		u.accounts(u.accountBody(object(accountMembers, "external_id", `"`+id+`"`, "name", `"`+id+`"`,
			"current_balance", test.literal))).want(200)
		u.transactions(transactionBody(object(transactionMembers, "external_id", `"`+id+`"`, "description",
			`"word`+id+`"`, "amount", test.literal))).want(200)
		accounts := u.get(u.path + "/accounts").want(200)
		if got := accounts.text("accounts", i, "currentBalance"); got != test.stored {
			t.Errorf("balance %s is stored as %s, want %s", test.literal, got, test.stored)
		}
		if got := u.get(u.path+"/transactions?query=word"+id).text("transactions", 0, "amount"); got != test.stored {
			t.Errorf("amount %s is stored as %s, want %s", test.literal, got, test.stored)
		}
	}
}

func TestMoneyThatIsNotExactOrOutOfRangeIs422(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	for literal, code := range map[string]string{
		"9999999999999.991": "decimal", "9999999999999.9901": "decimal", "0.005": "decimal", "1e-3": "decimal",
		"1e-400": "decimal", "0.010000000000000000001": "decimal",
		"1.001": "decimal", "-0.001": "decimal", "1e-99999999": "decimal",
		"10000000000000": "maximum", "1e400": "maximum", "1e13": "maximum", "1e99999999999": "maximum",
		"99999999999999999999999": "maximum",
		"-10000000000000":         "minimum", "-1e400": "minimum", "-9999999999999.995": "decimal",
		`"1.00"`: "type", `""`: "type", "true": "type", "null": "nullable", "[1]": "type", `{"value":1}`: "type",
	} {
		t.Run(literal, func(t *testing.T) {
			u := u.in(t)
			if diff := cmp.Diff([]string{"body /accounts/0/current_balance " + code},
				u.accounts(u.accountBody(object(accountMembers, "current_balance",
					literal))).want(422).issues()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{"body /transactions/0/amount " + code},
				u.transactions(transactionBody(object(transactionMembers, "amount",
					literal))).want(422).issues()); diff != "" {
				t.Error(diff)
			}
		})
	}
	u.untouched()
}

func TestTextThatIsNoJSONIs400WithoutIssues(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	good := transactionBody(object(transactionMembers))
	for name, raw := range map[string]string{
		"empty":                    "",
		"white space":              " \n",
		"BOM":                      "\ufeff" + good,
		"UTF-16":                   "\xff\xfe{\x00}\x00",
		"trailing object":          good + "{}",
		"trailing text":            good + " x",
		"trailing NUL":             good + "\x00",
		"trailing comma":           transactionBody(object(transactionMembers) + ","),
		"open":                     good[:len(good)-1],
		"single quotes":            strings.ReplaceAll(good, `"`, `'`),
		"NaN":                      transactionBody(object(transactionMembers, "amount", "NaN")),
		"Infinity":                 transactionBody(object(transactionMembers, "amount", "-Infinity")),
		"leading zero":             transactionBody(object(transactionMembers, "amount", "01")),
		"plus":                     transactionBody(object(transactionMembers, "amount", "+1")),
		"no digit before a point":  transactionBody(object(transactionMembers, "amount", ".5")),
		"no digit after a point":   transactionBody(object(transactionMembers, "amount", "5.")),
		"hexadecimal":              transactionBody(object(transactionMembers, "amount", "0x1")),
		"comment":                  "/* */" + good,
		"duplicate key":            transactionBody(`{"amount":1,` + object(transactionMembers)[1:]),
		"duplicate key by escape":  transactionBody(`{"\u0061mount":1,` + object(transactionMembers)[1:]),
		"duplicate key at the top": `{"transactions":[],` + good[1:],
		"duplicate unknown key":    `{"x":1,"x":2,` + good[1:],
		"duplicate key in unread":  `{"x":{"y":1,"y":2},` + good[1:],
		"invalid UTF-8":            transactionBody(object(transactionMembers, "description", "\"\xff\"")),
		"overlong UTF-8":           transactionBody(object(transactionMembers, "description", "\"\xc0\xaf\"")),
		"invalid UTF-8 in a key":   "{\"\xff\":1," + good[1:],
		"encoded surrogate":        transactionBody(object(transactionMembers, "description", "\"\xed\xa0\x80\"")),
		"lone high surrogate":      transactionBody(object(transactionMembers, "description", `"\ud800"`)),
		"lone low surrogate":       transactionBody(object(transactionMembers, "description", `"\udc00"`)),
		"swapped surrogates":       transactionBody(object(transactionMembers, "description", `"\ude00\ud83d"`)),
		"raw control character":    transactionBody(object(transactionMembers, "description", "\"a\nb\"")),
		"unknown escape":           transactionBody(object(transactionMembers, "description", `"\x41"`)),
		"nested 33 deep":           `{"x":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`,
		"nested 9,000 deep":        strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"nested 500,000 deep":      strings.Repeat("[", 500000),
		"nested objects":           strings.Repeat(`{"a":`, 100000),
	} {
		t.Run(name, func(t *testing.T) {
			got := u.in(t).transactions(raw).want(400)
			const want = `{"error":"The body is not valid JSON: one value in UTF-8, without repeated keys, nested at most 32 deep."}`
			if diff := cmp.Diff(want, strings.TrimSpace(string(got.body))); diff != "" {
				t.Error(diff)
			}
		})
	}
	u.untouched()
}

func TestABrokenRuleOfABatchIs422AtItsPlace(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	text := func(s string) string { return `"` + s + `"` }
	one := func(changes ...string) string { return transactionBody(object(transactionMembers, changes...)) }
	acc := func(changes ...string) string { return u.accountBody(object(accountMembers, changes...)) }
	many := func(members [][2]string, n int) (items []string) {
		for i := range n {
			items = append(items, object(members, "external_id", fmt.Sprintf(`"x%d"`, i)))
		}
		return items
	}
	for name, test := range map[string]struct {
		raw  string
		want []string
	}{
		"null":           {"null", []string{"body  nullable"}},
		"array":          {"[]", []string{"body  type"}},
		"text":           {`"x"`, []string{"body  type"}},
		"number":         {"1", []string{"body  type"}},
		"empty object":   {"{}", []string{"body /transactions required"}},
		"null list":      {`{"transactions":null}`, []string{"body /transactions nullable"}},
		"object as list": {`{"transactions":{}}`, []string{"body /transactions type"}},
		"empty list":     {`{"transactions":[]}`, []string{"body /transactions minItems"}},
		"501 items":      {transactionBody(many(transactionMembers, 501)...), []string{"body /transactions maxItems"}},
		"empty item": {transactionBody("{}"), []string{"body /transactions/0/amount required",
			"body /transactions/0/date required", "body /transactions/0/description required",
			"body /transactions/0/external_id required"}},
		"null item":      {transactionBody("null"), []string{"body /transactions/0 nullable"}},
		"list item":      {transactionBody("[]"), []string{"body /transactions/0 type"}},
		"unknown field":  {one("id", "1"), []string{"body /transactions/0/id additionalProperties"}},
		"unknown at top": {`{"source_id":1,` + one()[1:], []string{"body /source_id additionalProperties"}},
		"another case":   {one("Amount", "2"), []string{"body /transactions/0/Amount additionalProperties"}},
		"only another case": {one("amount", "", "AMOUNT", "2"),
			[]string{"body /transactions/0/AMOUNT additionalProperties",
				"body /transactions/0/amount required"}},
		"slash in a field": {one("a/b~c", "1"), []string{"body /transactions/0/a~1b~0c additionalProperties"}},
		"fields that are kept": {one("category", `"x"`, "filingState", `"filed"`, "deleted", "true"),
			[]string{"body /transactions/0/category additionalProperties",
				"body /transactions/0/filingState additionalProperties",
				"body /transactions/0/deleted additionalProperties"}},
		"empty id": {one("external_id", `""`), []string{"body /transactions/0/external_id minLength"}},
		"long id": {one("external_id", text(strings.Repeat("😀", 257))),
			[]string{"body /transactions/0/external_id maxLength"}},
		"number id": {one("external_id", "1"), []string{"body /transactions/0/external_id type"}},
		"NUL in an id": {one("external_id", `"a\u0000"`),
			[]string{"body /transactions/0/external_id pattern"}},
		"empty description": {one("description", `""`), []string{"body /transactions/0/description minLength"}},
		"long description": {one("description", text(strings.Repeat("é", 4097))),
			[]string{"body /transactions/0/description maxLength"}},
		"NUL in a description": {one("description", `"\u0000"`),
			[]string{"body /transactions/0/description pattern"}},
		"text for pending":       {one("pending", `"true"`), []string{"body /transactions/0/pending type"}},
		"1 for pending":          {one("pending", "1"), []string{"body /transactions/0/pending type"}},
		"null pending":           {one("pending", "null"), []string{"body /transactions/0/pending nullable"}},
		"null currency":          {one("currency", "null"), []string{"body /transactions/0/currency nullable"}},
		"lower-case currency":    {one("currency", `"usd"`), []string{"body /transactions/0/currency pattern"}},
		"currency with line end": {one("currency", `"USD\n"`), []string{"body /transactions/0/currency pattern"}},
		"long currency":          {one("currency", `"USDX"`), []string{"body /transactions/0/currency pattern"}},
		"Cyrillic currency":      {one("currency", `"UЅD"`), []string{"body /transactions/0/currency pattern"}},
		"empty currency":         {one("currency", `""`), []string{"body /transactions/0/currency pattern"}},

		"repeated ids": {transactionBody(object(transactionMembers), object(transactionMembers, "external_id", `"t2"`),
			object(transactionMembers), object(transactionMembers, "external_id", `"\u00741"`)),
			[]string{"body /transactions/2/external_id duplicate", "body /transactions/3/external_id duplicate"}},
		"several problems": {transactionBody(object(transactionMembers, "amount", "1.001", "date", `"x"`),
			object(transactionMembers, "external_id", "", "currency", `"€"`)),
			[]string{"body /transactions/0/amount decimal", "body /transactions/0/date format",
				"body /transactions/1/currency pattern", "body /transactions/1/external_id required"}},

		"no source": {strings.Replace(acc(), `"source_id"`, `"source"`, 1),
			[]string{"body /source additionalProperties", "body /source_id required"}},
		"no accounts":          {fmt.Sprintf(`{"source_id":%q}`, u.source), []string{"body /accounts required"}},
		"no account":           {u.accountBody(), []string{"body /accounts minItems"}},
		"501 accounts":         {u.accountBody(many(accountMembers, 501)...), []string{"body /accounts maxItems"}},
		"unknown type":         {acc("type", `"checking"`), []string{"body /accounts/0/type enum"}},
		"type in another case": {acc("type", `"Depository"`), []string{"body /accounts/0/type enum"}},
		"type with a space":    {acc("type", `"credit "`), []string{"body /accounts/0/type enum"}},
		"no currency":          {acc("currency", ""), []string{"body /accounts/0/currency required"}},
		"no balance":           {acc("current_balance", ""), []string{"body /accounts/0/current_balance required"}},
		"mask":                 {acc("mask", `"1234"`), []string{"body /accounts/0/mask additionalProperties"}},
		"empty name":           {acc("name", `""`), []string{"body /accounts/0/name minLength"}},
		"blank name":           {acc("name", `" \t\n"`), []string{"body /accounts/0/name minLength"}},
		"name of NBSP":         {acc("name", `"\u00a0"`), []string{"body /accounts/0/name minLength"}},
		"name of U+FEFF":       {acc("name", `"\ufeff"`), []string{"body /accounts/0/name minLength"}},
		"name of U+200B":       {acc("name", `"\u200b\u2060"`), []string{"body /accounts/0/name minLength"}},
		"name of a filler":     {acc("name", `"\u3164"`), []string{"body /accounts/0/name minLength"}},
		"name of U+2003":       {acc("name", `"\u2003\u3000"`), []string{"body /accounts/0/name minLength"}},
		"long name": {acc("name", text(" "+strings.Repeat("n", 257))),
			[]string{"body /accounts/0/name maxLength"}},
		"NUL in a name": {acc("name", `"a\u0000b"`), []string{"body /accounts/0/name pattern"}},
		"repeated accounts": {u.accountBody(object(accountMembers), object(accountMembers)),
			[]string{"body /accounts/1/external_id duplicate"}},
	} {
		t.Run(name, func(t *testing.T) {
			u := u.in(t)
			send := u.transactions
			if strings.Contains(test.raw, `"accounts"`) || strings.Contains(test.raw, `"source_id":"`) {
				send = u.accounts
			}
			got := send(test.raw).want(422)
			if diff := cmp.Diff(test.want, got.issues()); diff != "" {
				t.Error(diff)
			}
		})
	}
	u.untouched()
}

func TestOneBadItemSavesNothingOfItsBatch(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	u.transactions(transactionBody(object(transactionMembers), object(transactionMembers, "external_id", `"t2"`,
		"amount", "0.001"))).want(422)
	u.accounts(u.accountBody(object(accountMembers), object(accountMembers, "external_id", `"a2"`, "name",
		`" "`))).want(422)
	u.untouched()
}

func TestAllProblemsOfARequestAreToldAtOnce(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	got := u.post(u.path+"/accounts/nope/transactions?dryRun=1&dryRun=2",
		transactionBody(object(transactionMembers, "amount", "0.001"))).want(422)
	want := []string{"path /account_id pattern", "query /dryRun unknown", "body /transactions/0/amount decimal"}
	if diff := cmp.Diff(want, got.issues()); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(got.text("error"), "3 problems") {
		t.Errorf("error is %q", got.text("error"))
	}
}

func TestMoreThanAHundredProblemsAreTruncated(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	fill := func(start, part, end string) string {
		return start + strings.Repeat(part, (server.MaxBody-len(start)-len(end)-10)/len(part)) + end
	}
	var unknown strings.Builder
	unknown.WriteString(`{"transactions":[{}]`)
	for i := 0; unknown.Len() < server.MaxBody-20; i++ {
		fmt.Fprintf(&unknown, `,"%x":0`, i)
	}
	unknown.WriteString("}")
	for name, test := range map[string]struct {
		raw  string
		last string
	}{
		"350,000 empty items":   {fill(`{"transactions":[{}`, ",{}", "]}"), "body /transactions maxItems"},
		"520,000 numbers":       {fill(`{"transactions":[0`, ",0", "]}"), "body /transactions maxItems"},
		"100,000 unknown names": {unknown.String(), "body  truncated"},
		"500 empty items":       {transactionBody(strings.Repeat("{},", 499) + "{}"), "body  truncated"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			issues := u.in(t).transactions(test.raw).want(422).issues()
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
			if len(issues) > 100 || issues[len(issues)-1] != test.last {
				t.Errorf("%d issues, the last %q", len(issues), issues[len(issues)-1])
			}
		})
	}
	u.untouched()
}

func TestTheLimitsThemselvesAreAccepted(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	var transactions, accounts []string
	for i := range 500 {
		transactions = append(transactions, object(transactionMembers, "external_id", fmt.Sprintf(`"t%d"`, i)))
		accounts = append(accounts, object(accountMembers, "external_id", fmt.Sprintf(`"a%d"`, i)))
	}
	if got := u.transactions(transactionBody(transactions...)).want(200).size("transactions"); got != 500 {
		t.Errorf("%d transactions", got)
	}
	if got := u.accounts(u.accountBody(accounts...)).want(200).size("accounts"); got != 500 {
		t.Errorf("%d accounts", got)
	}
	emoji := strings.Repeat("😀", 256)
	got := u.accounts(u.accountBody(object(accountMembers, "external_id", `"`+emoji+`"`, "name",
		`" \u00a0`+emoji+`\ufeff\u2003 "`))).want(200)
	if got.text("accounts", 0, "external_id") != emoji {
		t.Errorf("%s", got.body)
	}
	long := strings.Repeat("😀", 4096)
	id := u.transactions(transactionBody(object(transactionMembers, "external_id", `"`+emoji+`"`, "description",
		`"`+long+`"`, "pending", "true", "currency", `"EUR"`))).want(200).text("transactions", 0, "id")
	stored := u.get(u.path + "/transactions/" + id).want(200)
	if stored.text("transaction", "description") != long || stored.text("transaction", "currency") != "EUR" ||
		stored.get("transaction", "pending") != true {
		t.Errorf("%s", stored.body)
	}
}

func TestATrimmedNameIsStoredTrimmed(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	u.accounts(u.accountBody(object(accountMembers, "external_id", `"first"`, "name",
		`"\ufeff\u00a0 Main \"<b>\" account \u2003\n"`))).want(200)
	if got := u.get(u.path+"/accounts").text("accounts", 0, "name"); got != `Main "<b>" account` {
		t.Errorf("name is %q", got)
	}
}

func TestIDsAndDescriptionsAreKeptToTheByte(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	// Composed and decomposed é, and spaces, make different ids.
	ids := []string{"caf\u00e9", "cafe\u0301", " a", "a ", "A", "a", "\ufeffa", "a\tb\\\"'%_;--"}
	var items []string
	for _, id := range ids {
		items = append(items, object(transactionMembers, "external_id", fmt.Sprintf("%q", id), "description",
			fmt.Sprintf("%q", "  "+id+" \u2028 ")))
	}
	got := u.transactions(transactionBody(items...)).want(200)
	for i := range ids {
		sent := got.text("transactions", i, "external_id")
		if !slices.Contains(ids, sent) {
			t.Errorf("id %q was not sent", sent)
		}
		stored := u.get(u.path + "/transactions/" + got.text("transactions", i, "id")).want(200)
		if stored.text("transaction", "externalId") != sent || stored.text("transaction", "description") != "  "+sent+
			" \u2028 " {
			t.Errorf("%q is stored as %s", sent, stored.body)
		}
	}
}

func TestDatesAreRealCalendarDays(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	for date, ok := range map[string]bool{
		"2024-02-29": true, "2000-02-29": true, "0001-01-01": true, "9999-12-31": true, "2026-01-31": true,
		"2025-02-29": false, "1900-02-29": false, "2025-02-30": false, "2026-04-31": false, "2026-13-01": false,
		"2026-00-10": false, "2026-01-00": false,
		"0000-01-01": false, "2026-1-1": false, "20260101": false, "2026-01-31T00:00:00Z": false, "2026-01-31 ": false,
		" 2026-01-31": false,
		"2026/01/31":  false, "31-01-2026": false, "10000-01-01": false, "-001-01-01": false, "+2026-01-01": false,
		"2026-W05-6": false, "٢٠٢٦-٠١-٠١": false,
		"infinity": false, "today": false, "": false,
	} {
		t.Run(date, func(t *testing.T) {
			u := u.in(t)
			got := u.transactions(transactionBody(object(transactionMembers, "external_id", `"`+date+`x"`, "date",
				`"`+date+`"`)))
			if !ok {
				if diff := cmp.Diff([]string{"body /transactions/0/date format"}, got.want(422).issues()); diff != "" {
					t.Error(diff)
				}
				return
			}
			stored := u.get(u.path + "/transactions/" + got.want(200).text("transactions", 0, "id")).want(200)
			for _, field := range []string{"authorizedAt", "processedAt"} {
				if stored.text("transaction", field) != date+"T00:00:00Z" {
					t.Errorf("%s is %s", field, stored.text("transaction", field))
				}
			}
			if stored.text("transaction", "primaryDate") != date {
				t.Errorf("primaryDate is %s", stored.text("transaction", "primaryDate"))
			}
		})
	}
}

func TestUUIDsHaveTheContractsForms(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	other := "0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d11"
	for form, ok := range map[string]bool{
		u.source: true, strings.ToUpper(u.source): true,
		"00000000-0000-0000-0000-000000000000": true, "ffffffff-ffff-ffff-ffff-ffffffffffff": true,
		"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF": true,
		other:                                  true, strings.Replace(other, "-7d", "-1d", 1): true,
		strings.Replace(other, "-7d", "-8d", 1): true,
		strings.Replace(other, "-7d", "-9d", 1): false, strings.Replace(other, "-7d", "-0d", 1): false,
		strings.Replace(other, "-9f", "-7f", 1): false, strings.Replace(other, "-9f", "-cf", 1): false,
		"{" + other + "}": false, "urn:uuid:" + other: false, strings.ReplaceAll(other, "-", ""): false,
		"x" + other + "x": false, other + " ": false, "nope": false, "": false,
	} {
		t.Run(form, func(t *testing.T) {
			u := u.in(t)
			got := u.accounts(strings.Replace(u.accountBody(object(accountMembers, "external_id", `"first"`, "name",
				`"Account first"`)), u.source, form, 1))
			switch {
			case ok && strings.EqualFold(form, u.source):
				got.want(200)
			case ok:
				got.want(400)
			default:
				if diff := cmp.Diff([]string{"body /source_id pattern"}, got.want(422).issues()); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestAnIssueNeverRepeatsAValue(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	got := u.transactions(transactionBody(object(transactionMembers, "amount", `"SECRET"`, "date", `"SECRET"`,
		"currency", `"SECRET"`, "pending", `"SECRET"`))).want(422)
	if len(got.issues()) != 4 || bytes.Contains(got.body, []byte("SECRET")) {
		t.Errorf("%s", got.body)
	}
}

// Days at both ends of the calendar are days like others.
func TestRowsOfTheFirstAndLastDayThereAreListedAndReported(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	o.upload(o.uploadAccount("a"), transaction("first", "-1.00", "0001-01-01", "FIRST"),
		transaction("last", "-2.00", "9999-12-31", "LAST"),
		transaction("now", "-4.00", "2026-03-30", "NOW"))
	list := o.get(o.path + "/transactions").want(200)
	if list.size("transactions") != 3 || list.text("transactions", 0, "externalId") != "last" ||
		list.text("transactions", 2, "externalId") != "first" {
		t.Errorf("listed %s", list.body)
	}
	if got := o.get(o.path + "/profile").want(200); got.text("coverage", "lastTransactionDate") != "9999-12-31" {
		t.Errorf("covered %s", got.body)
	}
	for _, report := range []string{"cashflow", "pnl"} {
		o.get(o.path + "/reports/" + report + "?startDate=0001-01-01&endDate=9999-12-31").want(200)
		o.get(o.path + "/reports/" + report + "?startDate=9999-12-31&endDate=9999-12-31&periodGrouping=day").want(200)
	}
	o.get(o.path + "/transactions?dateFrom=9999-12-31&dateTo=9999-12-31").want(200)
}
