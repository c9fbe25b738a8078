package validate_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"bizfin/internal/money"
	"bizfin/openapi"
	"bizfin/server/validate"
)

const (
	accountsPath     = "/organizations/{organization_id}/accounts"
	transactionsPath = "/transactions"
	answersPath      = "/answers/{id}"
	webhookPath      = "/webhooks"
)

// The destinations have the shape of generated types.
type transactionUpload struct {
	Transactions []transaction `json:"transactions"`
}

type transaction struct {
	Amount      money.Amount `json:"amount"`
	Currency    *string      `json:"currency,omitempty"`
	Date        date         `json:"date"`
	Description string       `json:"description"`
	ExternalID  string       `json:"external_id"`
	Pending     *bool        `json:"pending,omitempty"`
}

type accountUpload struct {
	Accounts []struct {
		Currency       string       `json:"currency"`
		CurrentBalance money.Amount `json:"current_balance"`
		ExternalID     string       `json:"external_id"`
		Name           string       `json:"name"`
		Type           string       `json:"type"`
	} `json:"accounts"`
	SourceID string `json:"source_id"`
}

type date struct{ time.Time }

func (d *date) UnmarshalJSON(data []byte) (err error) {
	d.Time, err = time.Parse(`"2006-01-02"`, string(data))
	return err
}

func load(t testing.TB) *openapi3.T {
	t.Helper()
	raw, err := os.ReadFile("testdata/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(raw))
}

func parse(t testing.TB, yaml string) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// compiled are those of the test document, made once.
var compiled struct {
	sync.Once
	*validate.Validator
	err error
}

func operation(t testing.TB, method, path string) *validate.Operation {
	t.Helper()
	compiled.Do(func() { compiled.Validator, compiled.err = validate.New(load(t)) })
	if compiled.err != nil {
		t.Fatal(compiled.err)
	}
	o, ok := compiled.Route(method, path)
	if !ok {
		t.Fatalf("no operation %s %s", method, path)
	}
	return o
}

// brief writes problems as "path code" for comparison.
func brief(problems []validate.Problem) []string {
	var lines []string
	for _, i := range problems {
		lines = append(lines, i.Path+" "+i.Code)
	}
	return lines
}

func item(external string) string {
	return fmt.Sprintf(`{"external_id":%q,"amount":-12.50,"date":"2026-01-31","description":"Coffee"}`, external)
}

func batch(items ...string) string {
	return `{"transactions":[` + strings.Join(items, ",") + `]}`
}

func TestTheTestDocumentIsValid(t *testing.T) {
	t.Parallel()
	if err := load(t).Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestNewLeavesTheDocumentAsItIs(t *testing.T) {
	t.Parallel()
	doc := load(t)
	before, err := doc.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := validate.New(doc); err != nil {
		t.Fatal(err)
	}
	after, err := doc.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Error(diff)
	}
}

func TestRouteFindsDeclaredOperationsOnly(t *testing.T) {
	t.Parallel()
	v, err := validate.New(load(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		method, path   string
		found, hasBody bool
	}{
		{"POST", accountsPath, true, true},
		{"GET", accountsPath, true, false},
		{"PUT", accountsPath, false, false},
		{"GET", "/organizations/1/accounts", false, false},
	} {
		o, found := v.Route(test.method, test.path)
		if found != test.found || found && o.HasBody() != test.hasBody {
			t.Errorf("%s %s: found %v", test.method, test.path, found)
		}
	}
}

func TestNewRefusesWhatItWouldNotJudge(t *testing.T) {
	t.Parallel()
	const body = `{openapi: %s, info: {title: t, version: '1'}, paths: {/a: {post: {
  responses: {'200': {description: ok}},
  requestBody: {required: %s, content: {%s: {schema: {
    type: object, additionalProperties: false, properties: {field: %s}}}}}}}}}`
	const parameter = `{openapi: 3.0.3, info: {title: t, version: '1'}, paths: {/a: {get: {
  responses: {'200': {description: ok}},
  parameters: [%s]}}}}`
	inBody := func(schema string) string { return fmt.Sprintf(body, "3.0.3", "true", "application/json", schema) }
	for name, yaml := range map[string]string{
		"OpenAPI 3.1":              fmt.Sprintf(body, "3.1.0", "true", "application/json", "{type: string}"),
		"optional body":            fmt.Sprintf(body, "3.0.3", "false", "application/json", "{type: string}"),
		"other media type":         fmt.Sprintf(body, "3.0.3", "true", "text/plain", "{type: string}"),
		"no type":                  inBody("{}"),
		"bare number":              inBody("{type: number}"),
		"double":                   inBody("{type: number, format: double}"),
		"multipleOf":               inBody("{type: number, format: decimal, multipleOf: 0.01}"),
		"other decimals":           inBody("{type: number, format: decimal, x-decimals: 3}"),
		"decimals of an integer":   inBody("{type: integer, x-decimals: 2}"),
		"inexact decimal bound":    inBody("{type: number, format: decimal, minimum: 0.001}"),
		"integer multipleOf":       inBody("{type: integer, multipleOf: 5}"),
		"fractional integer bound": inBody("{type: integer, minimum: 0.5}"),
		"unknown string format":    inBody("{type: string, format: email}"),
		"unknown integer format":   inBody("{type: integer, format: int16}"),
		"lookahead pattern":        inBody("{type: string, pattern: '(?=a)'}"),
		"number enum":              inBody("{type: integer, enum: [1, 2]}"),
		"number in a string enum":  inBody("{type: string, enum: [a, 1]}"),
		"null in an enum":          inBody("{type: string, enum: [a, null]}"),
		"open in a closed body":    inBody("{type: object, properties: {a: {type: string}}}"),
		"open items":               inBody("{type: array, items: {type: object}}"),
		"map":                      inBody("{type: object, additionalProperties: {type: string}}"),
		"minProperties":            inBody("{type: object, additionalProperties: false, minProperties: 1}"),
		"undeclared required":      inBody("{type: object, additionalProperties: false, required: [a]}"),
		"oneOf":                    inBody("{oneOf: [{type: string}, {type: integer}]}"),
		"two allOf":                inBody("{allOf: [{type: string}, {type: string}]}"),
		"keyword beside allOf":     inBody("{allOf: [{type: string}], minLength: 1}"),
		"uniqueItems":              inBody("{type: array, uniqueItems: true, items: {type: string}}"),
		"readOnly":                 inBody("{type: string, readOnly: true}"),
		"length of an integer":     inBody("{type: integer, minLength: 1}"),
		"x-trim of an integer":     inBody("{type: integer, x-trim: true}"),
		"x-trim is no boolean":     inBody("{type: string, x-trim: 'yes'}"),
		"x-unique-by of no field": inBody("{type: array, x-unique-by: id, items: {type: object, " +
			"additionalProperties: false}}"),
		"x-unique-by of strings": inBody("{type: array, x-unique-by: id, items: {type: string}}"),
		"array as a list": fmt.Sprintf(parameter,
			"{name: a, in: query, schema: {type: array, items: {type: string}}}"),
		"object": fmt.Sprintf(parameter,
			"{name: a, in: query, style: deepObject, schema: {type: object, additionalProperties: false}}"),
		"quoted string": fmt.Sprintf(parameter,
			"{name: a, in: query, content: {application/json: {schema: {type: string}}}}"),
		"cookie": fmt.Sprintf(parameter, "{name: a, in: cookie, schema: {type: string}}"),
		"allowEmptyValue": fmt.Sprintf(parameter,
			"{name: a, in: query, allowEmptyValue: true, schema: {type: string}}"),
		"trimmed parameter": fmt.Sprintf(parameter,
			"{name: a, in: query, schema: {type: string, x-trim: true}}"),
		"nullable parameter": fmt.Sprintf(parameter,
			"{name: a, in: query, schema: {type: string, nullable: true}}"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := validate.New(parse(t, yaml)); err == nil {
				t.Error("accepted")
			}
		})
	}
	if _, err := validate.New(parse(t, inBody("{type: string}"))); err != nil {
		t.Errorf("a document without any of this: %v", err)
	}
}

func TestNewRefusesAnEndlessSchema(t *testing.T) {
	t.Parallel()
	doc := parse(t, `{openapi: 3.0.3, info: {title: t, version: '1'},
  components: {schemas: {A: {type: object, additionalProperties: false,
  properties: {a: {$ref: '#/components/schemas/A'}}}}}, paths: {/a: {post: {responses: {'200': {description: ok}},
  requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}}}}`)
	if _, err := validate.New(doc); err == nil {
		t.Error("accepted")
	}
}

func TestTheAPIDocumentIsAcceptedAndItsBodiesAreClosed(t *testing.T) {
	t.Parallel()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	v, err := validate.New(doc)
	if err != nil {
		t.Fatal(err)
	}
	bodies := 0
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			o, ok := v.Route(method, path)
			if !ok {
				t.Fatalf("%s %s is not routed", method, path)
			}
			if !o.HasBody() || strings.HasPrefix(path, "/webhooks/") {
				continue
			}
			bodies++
			_, problems, err := o.Body([]byte(`{"no such field":1}`))
			if err != nil || len(problems) == 0 || problems[0].Code != validate.CodeAdditionalProperties {
				t.Errorf("%s %s: got %v, %v", method, path, problems, err)
			}
		}
	}
	if bodies == 0 {
		t.Error("no operation has a body")
	}
}

func TestLimitSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	problems := make([]validate.Problem, validate.MaxProblems+1)
	for i := range problems {
		problems[i] = validate.Problem{In: validate.InBody, Path: fmt.Sprint("/", i), Code: validate.CodeType}
	}
	if diff := cmp.Diff(problems[:validate.MaxProblems], validate.Limit(problems[:validate.MaxProblems])); diff != "" {
		t.Error(diff)
	}
	limited := validate.Limit(problems)
	if len(limited) != validate.MaxProblems || limited[98].Path != "/98" || limited[99].Code != validate.CodeTruncated {
		t.Errorf("got %d problems, the last %v", len(limited), limited[len(limited)-1])
	}
	if problems[99].Code != validate.CodeType {
		t.Error("the given list was changed")
	}
}
