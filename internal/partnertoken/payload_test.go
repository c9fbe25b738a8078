package partnertoken_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/partnertoken"
)

func TestParsePayloadAccepts(t *testing.T) {
	t.Parallel()
	one := "b1"
	long := strings.Repeat("ä", 200)
	for _, tc := range []struct {
		name, raw string
		want      partnertoken.Payload
	}{
		{
			"one business",
			goodPayload,
			partnertoken.Payload{BusinessID: &one, Businesses: []partnertoken.Business{
				{ID: "b1", Name: "One", Role: "owner"},
			}},
		},
		{
			"a revocation",
			`{"business_id":null,"businesses":[]}`,
			partnertoken.Payload{Businesses: []partnertoken.Business{}},
		},
		{
			"a tier, members in any order",
			`{"tier":"paid","businesses":[{"role":"member","id":"b2","name":"Two"},{"name":"One","role":"owner","id":"b1"}],"business_id":"b1"}`,
			partnertoken.Payload{BusinessID: &one, Tier: "paid", Businesses: []partnertoken.Business{
				{ID: "b2", Name: "Two", Role: "member"},
				{ID: "b1", Name: "One", Role: "owner"},
			}},
		},
		{
			"the free tier with a revocation",
			`{"tier":"free","business_id":null,"businesses":[]}`,
			partnertoken.Payload{Tier: "free", Businesses: []partnertoken.Business{}},
		},
		{
			"a name with space and byte order marks around it",
			`{"business_id":"b1","businesses":[{"id":"b1","name":" \t\ufeff\u00a0\u2003One \n Two\ufeff ","role":"owner"}]}`,
			partnertoken.Payload{BusinessID: &one, Businesses: []partnertoken.Business{
				{ID: "b1", Name: "One \n Two", Role: "owner"},
			}},
		},
		{
			"the longest ID and name, counted in code points after trimming",
			`{"business_id":"` + long + `","businesses":[{"id":"` + long + `","name":"  ` + strings.Repeat("😀", 120) +
				`  ","role":"owner"}]}`,
			partnertoken.Payload{BusinessID: &long, Businesses: []partnertoken.Business{
				{ID: long, Name: strings.Repeat("😀", 120), Role: "owner"},
			}},
		},
		{
			"escapes and a true surrogate pair",
			`{"business_id":"\u0062\u0031","businesses":[{"id":"b1","name":"\ud83d\ude00\u0001","role":"\u006fwner"}]}`,
			partnertoken.Payload{BusinessID: &one, Businesses: []partnertoken.Business{
				{ID: "b1", Name: "😀\u0001", Role: "owner"},
			}},
		},
		{
			"IDs that differ in case or space",
			`{"business_id":"b1","businesses":[{"id":"b1","name":"1","role":"owner"},{"id":"B1","name":"1","role":"owner"},{"id":" b1","name":"1","role":"owner"}]}`,
			partnertoken.Payload{BusinessID: &one, Businesses: []partnertoken.Business{
				{ID: "b1", Name: "1", Role: "owner"}, {ID: "B1", Name: "1", Role: "owner"},
				{ID: " b1", Name: "1", Role: "owner"},
			}},
		},
	} {
		got, problems := partnertoken.ParsePayload([]byte(tc.raw))
		if diff := cmp.Diff(tc.want, got); diff != "" || len(problems) > 0 {
			t.Errorf("%s: %v %s", tc.name, problems, diff)
		}
	}
}

func TestParsePayloadNamesEachBrokenRule(t *testing.T) {
	t.Parallel()
	item := func(members string) string { return `{"business_id":"b1","businesses":[{` + members + `}]}` }
	for _, tc := range []struct {
		name, raw string
		want      []string // code and path
	}{
		{"null", `null`, []string{"type /payload"}},
		{"a string", `"x"`, []string{"type /payload"}},
		{"an array", `[{}]`, []string{"type /payload"}},
		{"nothing", ``, []string{"type /payload"}},
		{"no JSON", `{"business_id":`, []string{"type /payload"}},
		{"a string cut off", `{"business_id":"b`, []string{"type /payload"}},
		{"data after it", goodPayload + `1`, []string{"type /payload"}},
		{"a repeated member", `{"business_id":null,"business_id":null,"businesses":[]}`, []string{"type /payload"}},
		{"invalid UTF-8", "{\"business_id\":null,\"businesses\":[],\"\xff\":1}", []string{"type /payload"}},
		{"an empty object", `{}`, []string{"required /payload/business_id", "required /payload/businesses"}},
		{"no business_id", `{"businesses":[]}`, []string{"required /payload/business_id"}},
		{"no businesses", `{"business_id":null}`, []string{"required /payload/businesses"}},
		{"an unknown member", `{"business_id":null,"businesses":[],"accounts":[1,{}]}`,
			[]string{"additionalProperties /payload/accounts"}},
		{"a member in another case", `{"Business_id":null,"businesses":[]}`,
			[]string{"additionalProperties /payload/Business_id", "required /payload/business_id"}},
		{"a pointer to escape", `{"business_id":null,"businesses":[],"a/b~c":1}`,
			[]string{"additionalProperties /payload/a~1b~0c"}},
		{"business_id as number", `{"business_id":1,"businesses":[]}`, []string{"type /payload/business_id"}},
		{"business_id as object", `{"business_id":{},"businesses":[]}`, []string{"type /payload/business_id"}},
		{"business_id empty", `{"business_id":"","businesses":[]}`,
			[]string{"minLength /payload/business_id", "consistency /payload/business_id"}},
		{"business_id too long", `{"business_id":"` + strings.Repeat("a", 201) + `","businesses":[]}`,
			[]string{"maxLength /payload/business_id", "consistency /payload/business_id"}},
		{"business_id with NUL", `{"business_id":"a\u0000","businesses":[]}`, []string{"pattern /payload/business_id"}},
		{"business_id with a lone surrogate", `{"business_id":"a\udc00","businesses":[]}`,
			[]string{"pattern /payload/business_id"}},
		{"business_id not listed", `{"business_id":"b2","businesses":[{"id":"b1","name":"One","role":"owner"}]}`,
			[]string{"consistency /payload/business_id"}},
		{"business_id with no business", `{"business_id":"b1","businesses":[]}`,
			[]string{"consistency /payload/business_id"}},
		{"business_id null with a business",
			`{"business_id":null,"businesses":[{"id":"b1","name":"One","role":"owner"}]}`,
			[]string{"consistency /payload/business_id"}},
		{"businesses null", `{"business_id":null,"businesses":null}`, []string{"type /payload/businesses"}},
		{"businesses object", `{"business_id":"b1","businesses":{"id":"b1"}}`, []string{"type /payload/businesses"}},
		{"a business null", `{"business_id":"b1","businesses":[null]}`, []string{"type /payload/businesses/0"}},
		{"a business as array", `{"business_id":"b1","businesses":[["b1"]]}`, []string{"type /payload/businesses/0"}},
		{"a business without members", item(``),
			[]string{"required /payload/businesses/0/id", "required /payload/businesses/0/name",
				"required /payload/businesses/0/role"}},
		{"a business with an unknown member", item(`"id":"b1","name":"One","role":"owner","tier":"paid"`),
			[]string{"additionalProperties /payload/businesses/0/tier"}},
		{"id number", item(`"id":1,"name":"One","role":"owner"`), []string{"type /payload/businesses/0/id"}},
		{"id null", item(`"id":null,"name":"One","role":"owner"`), []string{"type /payload/businesses/0/id"}},
		{"id empty", `{"business_id":"","businesses":[{"id":"","name":"One","role":"owner"}]}`,
			[]string{"minLength /payload/business_id", "minLength /payload/businesses/0/id"}},
		{"id too long", item(`"id":"` + strings.Repeat("ä", 201) + `","name":"One","role":"owner"`),
			[]string{"maxLength /payload/businesses/0/id", "consistency /payload/business_id"}},
		{"id with NUL", item(`"id":"b1\u0000","name":"One","role":"owner"`),
			[]string{"pattern /payload/businesses/0/id"}},
		{"id with a lone surrogate", item(`"id":"b1\ud800x","name":"One","role":"owner"`),
			[]string{"pattern /payload/businesses/0/id"}},
		{"name null", item(`"id":"b1","name":null,"role":"owner"`), []string{"type /payload/businesses/0/name"}},
		{"name blank", item(`"id":"b1","name":" \ufeff\u2003 ","role":"owner"`),
			[]string{"minLength /payload/businesses/0/name"}},
		{"name too long", item(`"id":"b1","name":"` + strings.Repeat("ä", 121) + `","role":"owner"`),
			[]string{"maxLength /payload/businesses/0/name"}},
		{"name with NUL", item(`"id":"b1","name":"\u0000One","role":"owner"`),
			[]string{"pattern /payload/businesses/0/name"}},
		{"name with a lone surrogate", item(`"id":"b1","name":"\ude00\ud83d","role":"owner"`),
			[]string{"pattern /payload/businesses/0/name"}},
		{"role unknown", item(`"id":"b1","name":"One","role":"viewer"`), []string{"enum /payload/businesses/0/role"}},
		{"role in another case", item(`"id":"b1","name":"One","role":"Owner"`),
			[]string{"enum /payload/businesses/0/role"}},
		{"role null", item(`"id":"b1","name":"One","role":null`), []string{"type /payload/businesses/0/role"}},
		{"tier unknown", `{"business_id":null,"businesses":[],"tier":"gold"}`, []string{"enum /payload/tier"}},
		{"tier empty", `{"business_id":null,"businesses":[],"tier":""}`, []string{"enum /payload/tier"}},
		{"tier null", `{"business_id":null,"businesses":[],"tier":null}`, []string{"type /payload/tier"}},
		{
			"IDs three times",
			`{"business_id":"a","businesses":[{"id":"a","name":"1","role":"owner"},{"id":"a","name":"2","role":"owner"},{"id":"\u0061","name":"3","role":"owner"}]}`,
			[]string{"duplicate /payload/businesses/1/id", "duplicate /payload/businesses/2/id"},
		},
		{
			"many at once",
			`{"tier":1,"businesses":[{"id":"a","name":"","role":"x","y":0},2,{"id":"a"}],"z":0}`,
			[]string{
				"type /payload/tier",
				"minLength /payload/businesses/0/name", "enum /payload/businesses/0/role",
				"additionalProperties /payload/businesses/0/y",
				"type /payload/businesses/1",
				"duplicate /payload/businesses/2/id", "required /payload/businesses/2/name",
				"required /payload/businesses/2/role",
				"additionalProperties /payload/z", "required /payload/business_id",
			},
		},
	} {
		p, problems := partnertoken.ParsePayload([]byte(tc.raw))
		var got []string
		for _, problem := range problems {
			got = append(got, problem.Code+" "+problem.Path)
			if problem.Message == "" {
				t.Errorf("%s: %s has no message", tc.name, problem.Path)
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
		if diff := cmp.Diff(partnertoken.Payload{}, p); diff != "" {
			t.Errorf("%s: refused, yet it holds %s", tc.name, diff)
		}
	}
}

func TestParsePayloadTellsAtMostAHundredProblems(t *testing.T) {
	t.Parallel()
	items := strings.TrimSuffix(strings.Repeat("1,", 150), ",")
	_, problems := partnertoken.ParsePayload([]byte(`{"business_id":null,"businesses":[` + items + `]}`))
	if len(problems) != partnertoken.MaxProblems || problems[99].Path != "/payload/businesses/99" {
		t.Errorf("got %d problems, want the first %d", len(problems), partnertoken.MaxProblems)
	}
}

func TestMessagesNeverHoldTheValue(t *testing.T) {
	t.Parallel()
	raw := `{"business_id":"hush","tier":"hush","businesses":[{"id":"h","name":"` + strings.Repeat("hush", 40) +
		`","role":"hush"},"hush"]}`
	_, problems := partnertoken.ParsePayload([]byte(raw))
	if len(problems) != 4 {
		t.Fatalf("got %d problems, want 4: %v", len(problems), problems)
	}
	if text := fmt.Sprint(problems); strings.Contains(text, "hush") {
		t.Error(text)
	}
}

func TestParsePayloadReadsThreeHundredBusinesses(t *testing.T) {
	t.Parallel()
	p, problems := partnertoken.ParsePayload([]byte(manyBusinesses(300)))
	if len(p.Businesses) != 300 || len(problems) > 0 {
		t.Errorf("got %d businesses and %v", len(p.Businesses), problems)
	}
}
