package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"bizfin/server"
)

// abuser makes requests of the operations of the document: each begins as one that the document allows, with the
// caller's own ids, and most are then broken in a few places. What it makes depends on its numbers alone.
type abuser struct {
	*rand.Rand
	own, victims ids
	organization string
	victim       string // the organization of somebody else
	operations   []described
}

// newAbuser asks for every operation that an organization has. It has no business of its own yet.
func newAbuser(seed, stream uint64, victims ids, victim string) *abuser {
	a := &abuser{Rand: rand.New(rand.NewPCG(seed, stream)), victims: victims, victim: victim}
	for _, op := range operations {
		if op.asks != nil {
			a.operations = append(a.operations, documented()[op.id])
		}
	}
	return a
}

// request is one over HTTP, as it is sent.
type request struct {
	operation    string
	method       string
	path         string // under the base path, escaped
	query        string
	contentType  string
	body         []byte
	writes       bool
	bodyIsBroken bool // it is no JSON any more
}

func (r request) String() string {
	return fmt.Sprintf("%s: %s %s?%s\ncontent type %q\n%s", r.operation, r.method, r.path, r.query, r.contentType,
		r.body)
}

// next is the next request.
func (a *abuser) next() request {
	op := a.operations[a.IntN(len(a.operations))]
	r := request{operation: op.OperationID, method: op.method, writes: op.method != "GET"}
	r.path = a.path(op)
	r.query = a.query(op)
	if op.RequestBody != nil {
		r.contentType = "application/json"
		r.body, r.bodyIsBroken = a.body(op.RequestBody.Value.Content["application/json"].Schema)
		if a.oneIn(60) {
			r.contentType = pick(a, "", "text/plain", "application/json; charset=latin1",
				"application/x-www-form-urlencoded", "application/JSON",
				"application/json;", "multipart/form-data")
		}
	}
	return r
}

func (a *abuser) oneIn(n int) bool { return a.IntN(n) == 0 }

func pick[T any](a *abuser, from ...T) T { return from[a.IntN(len(from))] }

// organizationID is mostly the caller's.
func (a *abuser) organizationID() string {
	if !a.oneIn(12) {
		return a.organization
	}
	return pick(a, a.victim, uuid.NewString(), a.nasty(), strings.ToUpper(a.organization), "{"+a.organization+"}")
}

// id is one that a member of this name holds, mostly of the caller's own.
func (a *abuser) id(name string) string {
	of := a.own
	if a.oneIn(4) {
		of = a.victims
	}
	if a.oneIn(10) {
		return pick(a, uuid.NewString(), uuid.Nil.String(), a.nasty(), "t:"+of.transaction, "c:"+of.counterparty+":in",
			of.account+"\x00", of.transaction[:35])
	}
	switch name = strings.ToLower(name); {
	case strings.Contains(name, "source"):
		return of.source
	case strings.Contains(name, "account"):
		return of.account
	case strings.Contains(name, "counterparty"):
		return of.counterparty
	case strings.Contains(name, "transaction"):
		return of.transaction
	case name == "id":
		return of.issue
	}
	return uuid.NewString()
}

func (a *abuser) path(op described) string {
	path := op.path
	for _, ref := range op.parameters {
		p := ref.Value
		if p.In != openapi3.ParameterInPath {
			continue
		}
		value := a.id(p.Name)
		if p.Name == "organization_id" {
			value = a.organizationID()
		}
		path = strings.ReplaceAll(path, "{"+p.Name+"}", escape(value))
	}
	return path
}

func (a *abuser) query(op described) string {
	var parts []string
	for _, ref := range op.parameters {
		p := ref.Value
		if p.In != openapi3.ParameterInQuery || !p.Required && a.oneIn(2) || a.oneIn(40) {
			continue
		}
		schema := p.Schema
		if schema == nil {
			schema = p.Content["application/json"].Schema
		}
		value := a.value(p.Name, schema, 0)
		if a.oneIn(6) {
			value = a.broken(value)
		}
		text, isText := value.(string)
		if !isText || a.oneIn(30) {
			text = string(literal(value))
		}
		part := url.QueryEscape(p.Name) + "=" + url.QueryEscape(text)
		parts = append(parts, part)
		if a.oneIn(60) {
			parts = append(parts, part)
		}
	}
	if a.oneIn(40) {
		parts = append(parts, pick(a, "limit=%zz", "=", "&&", "a;b", "accountIds[0]=x", "unknown=1", "limit[]=1",
			"limit=+1", "query=%ff", "__proto__=1"))
	}
	a.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts, "&")
}

// body is a JSON body of the schema, of which something may be broken.
func (a *abuser) body(schema *openapi3.SchemaRef) (raw []byte, broken bool) {
	value := a.value("", schema, 0)
	for range pick(a, 0, 0, 1, 1, 1, 2, 3) {
		value = a.breakOne(value)
	}
	raw = literal(value)
	if !a.oneIn(15) {
		return raw, false
	}
	switch a.IntN(7) {
	case 0:
		raw = raw[:a.IntN(len(raw))]
	case 1:
		raw = append(raw, pick(a, "}", " x", "\x00", "{}", ",")...)
	case 2:
		raw = append([]byte(pick(a, "\ufeff", "[", "\xff", "{", "//c\n")), raw...)
	case 3:
		raw = slices.Insert(raw, a.IntN(len(raw)), pick[byte](a, 0, '"', '\\', 0xff, ',', '9', '{'))
	case 4:
		raw[a.IntN(len(raw))] = byte(a.IntN(256))
	case 5:
		raw = []byte(strings.Replace(string(raw), "{", `{"description":"twice","description":"twice",`, 1))
	default:
		raw = []byte(strings.Repeat(pick(a, "[", `{"a":`), a.IntN(20_000)))
	}
	return raw, !json.Valid(raw)
}

// literal writes a value as JSON. Texts that are no UTF-8 are written as they are.
func literal(value any) []byte {
	switch v := value.(type) {
	case string:
		quoted, _ := json.Marshal(v)
		if strings.Contains(v, "\xff") {
			return []byte(`"` + v + `"`)
		}
		return quoted
	case json.Number:
		return []byte(v)
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = string(literal(v[i]))
		}
		return []byte("[" + strings.Join(parts, ",") + "]")
	case M:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, string(literal(name))+":"+string(literal(v[name])))
		}
		return []byte("{" + strings.Join(parts, ",") + "}")
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return raw
	}
}

// value is one of the schema, for a member or parameter of this name.
func (a *abuser) value(name string, ref *openapi3.SchemaRef, depth int) any {
	s := ref.Value
	if s.Nullable && a.oneIn(8) {
		return nil
	}
	if depth > 6 {
		return s.Example
	}
	for _, choices := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf, s.AllOf} {
		if len(choices) > 0 {
			return a.value(name, choices[a.IntN(len(choices))], depth+1)
		}
	}
	if len(s.Enum) > 0 {
		return s.Enum[a.IntN(len(s.Enum))]
	}
	switch {
	case s.Type.Is("object"):
		object := M{}
		for _, member := range slices.Sorted(maps.Keys(s.Properties)) {
			if slices.Contains(s.Required, member) || a.oneIn(2) {
				object[member] = a.value(member, s.Properties[member], depth+1)
			}
		}
		return object
	case s.Type.Is("array"):
		list := make([]any, int(s.MinItems)+a.IntN(3))
		for i := range list {
			list[i] = a.value(strings.TrimSuffix(name, "Ids"), s.Items, depth+1)
		}
		return list
	case s.Type.Is("boolean"):
		return a.oneIn(2)
	case s.Type.Is("integer"), s.Type.Is("number"):
		return a.number(s)
	default:
		return a.text(name, s)
	}
}

func (a *abuser) number(s *openapi3.Schema) any {
	if s.Type.Is("integer") {
		low, high := int64(0), int64(100)
		if s.Min != nil {
			low = int64(*s.Min)
		}
		if s.Max != nil {
			high = min(int64(*s.Max), low+1_000_000)
		}
		return json.Number(fmt.Sprint(low + a.Int64N(max(high-low, 0)+1)))
	}
	return json.Number(pick(a, "0", "-0", "0.01", "-12.30", "1e2", "9999999999999.99", "-9999999999999.99",
		fmt.Sprintf("%d.%02d", a.IntN(2000)-1000, a.IntN(100))))
}

func (a *abuser) text(name string, s *openapi3.Schema) any {
	switch {
	case strings.HasSuffix(strings.ToLower(name), "id") || s.Format == "uuid":
		return a.id(name)
	case name == "external_id":
		return fmt.Sprint("e", a.IntN(30))
	case s.Format == "date" || s.Format == "date-time" || strings.Contains(strings.ToLower(name), "date") &&
		s.Format != "":
		return a.day()
	case strings.Contains(strings.ToLower(name), "date"):
		return a.day()
	case s.Pattern == "" && !a.oneIn(3):
		return pick(a, "flour", "SQ *COFFEE", "POS <FLOUR> & \"MILL\" 0042", "ZELLE TO MARIA", "a", "%", "_", "mark",
			"Meals", "expense.meals", "undo", "skip",
			"not sure", "60% expense.meals; rest personal", "it's my rent")
	}
	if example, ok := s.Example.(string); ok {
		return example
	}
	return "text"
}

func (a *abuser) day() string {
	return pick(a, fmt.Sprintf("%04d-%02d-%02d", 2024+a.IntN(3), 1+a.IntN(12), 1+a.IntN(28)),
		fmt.Sprintf("2026-%02d-%02d", 1+a.IntN(12), 1+a.IntN(31)),
		"2026-01-01T12:30:00Z", "2026-02-30", "0001-01-01", "9999-12-31", "2026-01-01T00:00:00+14:00",
		"2024-02-29T23:59:59.999999Z")
}

// nasty is text that has broken programs.
func (a *abuser) nasty() string {
	return pick(a, "", " ", "\x00", "\xff\xfe", "'; DROP TABLE transactions; --", "${jndi:ldap://x}",
		"../../etc/passwd", "%00", "\u202egnp", "😀😀", "null",
		"-1", "1e999", "NaN", strings.Repeat("a", 1+a.IntN(3000)), strings.Repeat("é", 600), "a\nb\r\nc: d", "\\", "\"",
		"<script>", "00000000-0000-0000-0000-000000000000",
		strings.Repeat("(", 50), "E'\\n'", "\u0000\u2028", "Ω≈ç√", "{{.}}", strings.Repeat("9", 400))
}

// broken is something in a value's place that is not of its schema, mostly.
func (a *abuser) broken(value any) any {
	switch a.IntN(11) {
	case 0:
		return nil
	case 1:
		return a.nasty()
	case 2:
		return json.Number(pick(a, "0", "-1", "1e400", "1e-400", "0.001", "12.345", "99999999999999999999999", "-0.0",
			"1E+2", "3.0", "10000000000000", "2147483648", "9223372036854775808"))
	case 3:
		return a.oneIn(2)
	case 4:
		return []any{}
	case 5:
		return M{}
	case 6:
		return []any{value}
	case 7:
		return M{"value": value}
	case 8:
		if text, ok := value.(string); ok && text != "" {
			at := a.IntN(len(text))
			return text[:at] + a.nasty() + text[at:]
		}
		return fmt.Sprint(value)
	case 9:
		if text, ok := value.(string); ok {
			return strings.Repeat(text, 1+a.IntN(400))
		}
		return value
	default:
		var deep any = value
		for range 1 + a.IntN(60) {
			deep = []any{deep}
		}
		return deep
	}
}

// breakOne changes one place of a value.
func (a *abuser) breakOne(value any) any {
	switch v := value.(type) {
	case M:
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 || a.oneIn(8) {
			v[pick(a, "unknown", "id", "__proto__", "category", "organization_id", "amountCents", "")] = a.nasty()
			return v
		}
		name := names[a.IntN(len(names))]
		switch {
		case a.oneIn(6):
			delete(v, name)
		case a.oneIn(2):
			v[name] = a.breakOne(v[name])
		default:
			v[name] = a.broken(v[name])
		}
		return v
	case []any:
		if len(v) == 0 {
			return a.broken(v)
		}
		at := a.IntN(len(v))
		switch {
		case a.oneIn(8):
			return append(v, v[at]) // the same twice
		case a.oneIn(60):
			return slices.Repeat(v, 501/len(v)+1)
		}
		v[at] = a.breakOne(v[at])
		return v
	default:
		return a.broken(value)
	}
}

// arguments are those of an MCP tool, mostly as its operation takes them.
func (a *abuser) arguments() (tool string, arguments any) {
	op := a.operations[a.IntN(len(a.operations))]
	given := M{"organization_id": a.organizationID()}
	for _, ref := range op.parameters {
		p := ref.Value
		if p.Name == "organization_id" || !p.Required && a.oneIn(2) {
			continue
		}
		schema := p.Schema
		if schema == nil {
			schema = p.Content["application/json"].Schema
		}
		if p.In == openapi3.ParameterInPath {
			given[p.Name] = a.id(p.Name)
		} else {
			given[p.Name] = a.value(p.Name, schema, 0)
		}
	}
	if op.RequestBody != nil {
		if body, ok := a.value("", op.RequestBody.Value.Content["application/json"].Schema, 0).(M); ok {
			maps.Copy(given, body)
		}
	}
	arguments = given
	for range pick(a, 0, 0, 1, 2) {
		arguments = a.breakOne(arguments)
	}
	tool = op.OperationID
	if a.oneIn(40) {
		tool = a.nasty()
	}
	return tool, arguments
}

// abuse sends the request with the caller's credential.
func (c *caller) abuse(r request) answer {
	c.t.Helper()
	raw, err := http.NewRequest(r.method, c.url, strings.NewReader(string(r.body)))
	if err != nil {
		c.t.Fatal(err)
	}
	if r.body == nil {
		raw.Body, raw.ContentLength = http.NoBody, 0
	}
	raw.URL.RawPath, raw.URL.RawQuery = server.BasePath+r.path, sendable(r.query)
	if raw.URL.Path, err = url.PathUnescape(raw.URL.RawPath); err != nil {
		c.t.Fatal(err)
	}
	raw.Header = c.header.Clone()
	if r.contentType != "" {
		raw.Header.Set("Content-Type", r.contentType)
	}
	return c.do(raw)
}
