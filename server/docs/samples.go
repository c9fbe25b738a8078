package docs

import (
	"fmt"
	"go/format"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// parameter is a field with its place and with what a form needs.
type parameter struct {
	field
	In      string
	JSON    bool // the value is one JSON text
	Boolean bool
}

// sample is a request, or what comes before all of them, in one language.
type sample struct {
	Language string // one that highlighted knows
	Code     template.HTML
}

// request is what the samples of an operation send: what is required, its first JSON-encoded parameter, which is what
// goes wrong most, and the example of its body. They are made from the document, in four languages.
type request struct {
	operation  string
	method     string
	path       string // below the base path, names in braces
	parameters []parameter
	uuids      map[string]bool // the parameters that are nothing but a UUID
	body       *openapi3.SchemaRef
}

// An id comes from an earlier answer. Shells and environments have it in capitals.
type id struct {
	names []string // in paths, bodies and, as the one item of a list, in queries
	shell string
	other string // in Python and TypeScript
	goes  string // in Go
	uuid  bool   // there
}

var ids = []id{
	{[]string{"organization_id"}, "ORG", "organization_id", "organization", true},
	{[]string{"source_id"}, "SOURCE", "source_id", "source", true},
	{[]string{"account_id", "accountIds"}, "ACCOUNT", "account_id", "account", true},
	{[]string{"transaction_id"}, "TRANSACTION", "transaction_id", "transaction", true},
	{[]string{"counterparty_id", "counterpartyIds"}, "COUNTERPARTY", "counterparty_id", "counterparty", false},
	{[]string{"id"}, "ISSUE", "issue_id", "issue", false},
}

// idNamed is the id of that name, nil where it is no id.
func idNamed(name string) *id {
	for i := range ids {
		if slices.Contains(ids[i].names, name) {
			return &ids[i]
		}
	}
	return nil
}

func (r request) samples() ([]sample, error) {
	goes, err := r.golang()
	if err != nil {
		return nil, fmt.Errorf("the sample of %s: %w", r.operation, err)
	}
	return []sample{
		{"bash", highlighted(r.curl(), "bash")}, {"go", highlighted(goes, "go")},
		{"ts", highlighted(r.typescript(), "ts")}, {"python", highlighted(r.python(), "python")},
	}, nil
}

// query lists the parameters that are sent.
func (r request) query() (list []parameter) {
	shownJSON := false
	for _, p := range r.parameters {
		if p.In == "query" && (p.Required || p.JSON && !shownJSON) {
			shownJSON = shownJSON || p.JSON
			list = append(list, p)
		}
	}
	return list
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// filled is the path with something else for each of its ids.
func (r request) filled(with func(id) string) string {
	return placeholder.ReplaceAllStringFunc(r.path, func(name string) string {
		return with(*idNamed(strings.Trim(name, "{}")))
	})
}

// fenced is a block of code of a text.
var fenced = regexp.MustCompile("(?ms)^```(\\w+)( file=\\S+| sample)?[^\n]*\n(.*?)^```$")

// blocks are the samples of a text: its programs, and what is marked as one.
func blocks(text []byte) (list []sample) {
	for _, found := range fenced.FindAllStringSubmatch(string(text), -1) {
		if language, code := found[1], found[3]; found[2] != "" {
			list = append(list, sample{language, highlighted(code, language)})
		}
	}
	return list
}

// member is a member of an example on a line of its own.
var member = regexp.MustCompile(`(?m)^(\s*)"(\w+)": (.*?)(,?)$`)

// example is the body as JSON, each member changed.
func (r request) example(change func(name, value string) (string, string)) string {
	return member.ReplaceAllStringFunc(example(r.body, "", nil), func(line string) string {
		part := member.FindStringSubmatch(line)
		name, value := change(part[2], part[3])
		return part[1] + name + ": " + value + part[4]
	})
}

func (r request) curl() string {
	first := "curl -s"
	switch {
	case r.method == http.MethodGet && len(r.query()) > 0:
		first = "curl -sG"
	case r.method != http.MethodGet && r.body == nil:
		first = "curl -s -X " + r.method
	}
	lines := []string{first + ` "$API` + r.filled(func(i id) string { return "$" + i.shell }) + `"`,
		`  -H "X-Service-Partner: $PARTNER"`, `  -H "Authorization: Bearer $TOKEN"`}
	for _, p := range r.query() {
		value := "'" + p.Name + "=" + p.Example + "'"
		if i := idNamed(p.Name); i != nil {
			value = `"` + p.Name + `=[\"$` + i.shell + `\"]"`
		}
		lines = append(lines, "  --data-urlencode "+value)
	}
	if r.body != nil {
		body := r.example(func(name, value string) (string, string) {
			if i := idNamed(name); i != nil {
				return strconv.Quote(name), `"'$` + i.shell + `'"`
			}
			return strconv.Quote(name), strings.ReplaceAll(value, "'", `'\''`)
		})
		lines = append(lines, `  -H "Content-Type: application/json"`, "  -d '"+body+"'")
	}
	return strings.Join(lines, " \\\n")
}

func (r request) typescript() string {
	var parts []string
	add := func(place string, members []string) {
		if len(members) > 0 {
			parts = append(parts, place+": { "+strings.Join(members, ", ")+" }")
		}
	}
	var header, path, query []string
	for _, p := range r.parameters {
		switch {
		case p.In == "header" && p.Required:
			header = append(header, strconv.Quote(p.Name)+": signer.partner")
		case p.In == "path" && idNamed(p.Name).other == p.Name:
			path = append(path, p.Name)
		case p.In == "path":
			path = append(path, p.Name+": "+idNamed(p.Name).other)
		}
	}
	for _, p := range r.query() {
		value := strconv.Quote(p.Example)
		if i := idNamed(p.Name); i != nil {
			value = "JSON.stringify([" + i.other + "])"
		} else if p.JSON {
			value = "JSON.stringify(" + p.Example + ")"
		}
		query = append(query, p.Name+": "+value)
	}
	add("header", header)
	add("path", path)
	add("query", query)
	parameters := " " + strings.Join(parts, "") + " "
	if len(parts) > 1 {
		parameters = "\n      " + strings.Join(parts, ",\n      ") + ",\n    "
	}
	text := "const answer = taken(\n  await client." + r.method + "(" + strconv.Quote(r.path) + ", {\n" +
		"    params: {" + parameters + "},\n"
	if r.body != nil {
		text += "    body: " + indented(r.example(func(name, value string) (string, string) {
			if i := idNamed(name); i != nil {
				value = i.other
			}
			return name, value
		}), "    ") + ",\n"
	}
	return text + "  }),\n);\nconsole.log(answer);"
}

var indentation = regexp.MustCompile(`(?m)^ +`)

var constants = map[string]string{"true": "True", "false": "False", "null": "None"}

func (r request) python() string {
	path := strconv.Quote(r.path)
	if placeholder.MatchString(r.path) {
		path = "f" + strconv.Quote(r.filled(func(i id) string { return "{" + i.other + "}" }))
	}
	arguments := []string{strconv.Quote(r.method), path}
	var query []string
	for _, p := range r.query() {
		value := strconv.Quote(p.Example)
		if i := idNamed(p.Name); i != nil {
			value = "[" + i.other + "]"
		} else if p.JSON {
			value = p.Example
		}
		query = append(query, strconv.Quote(p.Name)+": "+value)
	}
	if len(query) > 0 {
		arguments = append(arguments, "query={"+strings.Join(query, ", ")+"}")
	}
	if r.body != nil {
		body := r.example(func(name, value string) (string, string) {
			if i := idNamed(name); i != nil {
				value = i.other
			} else if constant, is := constants[value]; is {
				value = constant
			}
			return strconv.Quote(name), value
		})
		arguments = append(arguments, "body="+indented(indentation.ReplaceAllString(body, "$0$0"), "    "))
	}
	if len(arguments) == 2 {
		return "answer = call(" + strings.Join(arguments, ", ") + ")\nprint(answer)"
	}
	return "answer = call(\n    " + strings.Join(arguments, ",\n    ") + ",\n)\nprint(answer)"
}

// indented moves all lines but the first to the right.
func indented(text, by string) string { return strings.ReplaceAll(text, "\n", "\n"+by) }

func (r request) golang() (string, error) {
	name := strings.ToUpper(r.operation[:1]) + r.operation[1:]
	arguments, fields := []string{"ctx"}, []string{}
	for _, p := range r.parameters {
		switch {
		case p.In == "path":
			i := idNamed(p.Name)
			argument := i.goes
			if i.uuid && !r.uuids[p.Name] {
				argument += ".String()"
			}
			arguments = append(arguments, argument)
		case p.In == "header" && p.Required:
			fields = append(fields, goName(strings.ReplaceAll(p.Name, "-", "_"))+`: os.Getenv("BIZFIN_PARTNER_ID"),`)
		}
	}
	for _, p := range r.query() {
		value := strconv.Quote(p.Example)
		if i := idNamed(p.Name); i != nil {
			value = "&[]string{" + i.goes + "}"
			if i.uuid {
				value = "&[]string{" + i.goes + ".String()}"
			}
		} else if p.JSON {
			value = "&[]string{" + strings.Trim(p.Example, "[]") + "}"
		}
		fields = append(fields, goName(p.Name)+": "+value+",")
	}
	parameters := "nil"
	if len(fields) > 0 {
		parameters = "&bizfin." + name + "Params{\n" + strings.Join(fields, "\n") + "\n}"
	}
	arguments = append(arguments, parameters)
	if r.body != nil {
		arguments = append(arguments, goLiteral("", r.body, true))
	}
	text, err := format.Source([]byte("answer, err := client." + name + "WithResponse(" +
		strings.Join(arguments, ", ") + ")\nif err != nil {\nlog.Fatal(err)\n}\n" +
		"fmt.Println(answer.Status(), string(answer.Body)) // and answer.JSON200, with its members"))
	return string(text), err
}

// goName is what the generated client calls a member.
func goName(name string) (exported string) {
	for part := range strings.SplitSeq(name, "_") {
		exported += strings.ToUpper(part[:1]) + part[1:]
	}
	return exported
}

// goLiteral is the example of a schema as a literal of the generated client.
func goLiteral(name string, ref *openapi3.SchemaRef, required bool) string {
	schema := resolved(ref)
	value := strconv.Quote(exampleText(schema.Example)) // of money too, which is a json.Number
	switch {
	case idNamed(name) != nil:
		value = idNamed(name).goes
	case schema.Items != nil:
		item := strings.TrimPrefix(goLiteral("", schema.Items, true), "bizfin."+named(schema.Items))
		value = "[]bizfin." + named(schema.Items) + "{\n" + item + ",\n}"
	case len(schema.Properties) > 0:
		value = "bizfin." + named(ref) + "{\n"
		for _, member := range memberNames(schema) {
			value += goName(member) + ": " + goLiteral(member, schema.Properties[member],
				slices.Contains(schema.Required, member)) + ",\n"
		}
		value += "}"
	case schema.Type.Is("boolean"):
		value = exampleText(schema.Example)
	}
	if !required {
		return "new(" + value + ")"
	}
	return value
}
