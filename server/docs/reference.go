package docs

import (
	"html/template"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"

	"bizfin/openapi"
)

// reference is the page of all operations.
type reference struct {
	Title, Version string
	Introduction   template.HTML
	Groups         []group
	Start          []sample // what samples begin with
	Error          []field  // the members of every error but the webhook's
}

// group holds the operations of one tag.
type group struct {
	Name, Title string
	Description template.HTML
	Operations  []operation
}

type operation struct {
	ID, Method, Path string        // Path is the whole one
	Breakable        template.HTML // Path, with places to break a line
	Summary          string
	Description      template.HTML
	Scope            string // the OAuth scope it needs
	OwnerOnly        bool
	Partner, OAuth   bool // which credentials may call it
	Parameters       []parameter
	Body             []field
	BodyExample      string
	Returns          template.HTML
	Answer           []field
	AnswerShown      template.HTML
	Errors           []failure
	Samples          []sample
}

type failure struct {
	Status      string
	Description template.HTML
	Fields      []field // where it is not the common error
}

// commonError is the schema of all errors but one.
const commonError = "ErrorBody"

func referenceOf(doc *openapi3.T, api string) (reference, error) {
	ordered, err := documentOrder()
	if err != nil {
		return reference{}, err
	}
	r := reference{
		Title: doc.Info.Title, Version: doc.Info.Version, Introduction: markdown(doc.Info.Description),
		Error: membersOf(doc.Components.Schemas[commonError], nil),
	}
	addressed("error", r.Error)
	start, err := files.ReadFile("pages/samples.md")
	if err != nil {
		return reference{}, err
	}
	r.Start = blocks(start)
	for _, tag := range doc.Tags {
		g := group{Name: tag.Name, Title: strings.ToUpper(tag.Name[:1]) + tag.Name[1:],
			Description: markdownLine(tag.Description)}
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				if !slices.Contains(op.Tags, tag.Name) {
					continue
				}
				o, err := operationOf(doc, api, path, method, item, op)
				if err != nil {
					return reference{}, err
				}
				g.Operations = append(g.Operations, o)
			}
		}
		slices.SortFunc(g.Operations, func(a, b operation) int {
			return slices.Index(ordered, a.ID) - slices.Index(ordered, b.ID)
		})
		r.Groups = append(r.Groups, g)
	}
	return r, nil
}

// documentOrder lists the operation ids as the document does; the loaded document has forgotten the order.
func documentOrder() (ids []string, err error) {
	var doc struct {
		Paths yaml.Node `yaml:"paths"`
	}
	if err := yaml.Unmarshal(openapi.YAML, &doc); err != nil {
		return nil, err
	}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for i, child := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "operationId" {
				ids = append(ids, child.Value)
			}
			walk(child)
		}
	}
	walk(&doc.Paths)
	return ids, nil
}

func operationOf(doc *openapi3.T, api, path, method string, item *openapi3.PathItem,
	op *openapi3.Operation) (operation, error) {
	o := operation{
		ID: op.OperationID, Method: method, Path: api + path, Summary: op.Summary,
		Description: markdown(op.Description),
	}
	if len(item.Servers) > 0 { // the webhook stands outside the base path
		o.Path = strings.TrimSuffix(item.Servers[0].URL, "/") + path
	}
	o.Breakable = template.HTML(strings.ReplaceAll(template.HTMLEscapeString(o.Path), "/", "/<wbr>"))
	o.Scope, _ = op.Extensions["x-scope"].(string)
	o.OwnerOnly, _ = op.Extensions["x-owner-only"].(bool)
	security := doc.Security
	if op.Security != nil {
		security = *op.Security
	}
	for _, alternative := range security {
		_, partner := alternative["partnerToken"]
		_, oauth := alternative["oauthToken"]
		o.Partner, o.OAuth = o.Partner || partner, o.OAuth || oauth
	}
	isUUID := map[string]bool{}
	for _, ref := range append(slices.Clone(item.Parameters), op.Parameters...) {
		o.Parameters = append(o.Parameters, parameterOf(ref.Value))
		isUUID[ref.Value.Name] = ref.Value.Schema != nil && resolved(ref.Value.Schema).Format == "uuid"
	}
	slices.SortStableFunc(o.Parameters, func(a, b parameter) int { return place(a) - place(b) })
	var body *openapi3.SchemaRef
	if op.RequestBody != nil {
		body = op.RequestBody.Value.Content.Get("application/json").Schema
		o.Body, o.BodyExample = membersOf(body, nil), example(body, "", nil)
	}
	o.describeAnswers(op)
	addressed(o.ID+".body", o.Body)
	addressed(o.ID+".answer", o.Answer)
	for i := range o.Parameters {
		o.Parameters[i].ID = o.ID + "." + o.Parameters[i].In + "." + o.Parameters[i].Name
	}
	for i := range o.Errors {
		addressed(o.ID+"."+o.Errors[i].Status, o.Errors[i].Fields)
	}
	if !o.Partner && !o.OAuth { // it is signed: the guide has the programs
		text, err := source("webhook")
		o.Samples = blocks(text)
		return o, err
	}
	var err error
	o.Samples, err = request{op.OperationID, method, path, o.Parameters, isUUID, body}.samples()
	return o, err
}

// place orders parameters: path, required query, optional query, header.
func place(p parameter) int {
	switch {
	case p.In == "path":
		return 0
	case p.In == "query" && p.Required:
		return 1
	case p.In == "query":
		return 2
	}
	return 3
}

func parameterOf(p *openapi3.Parameter) parameter {
	schema, isJSON := p.Schema, false
	if media := p.Content.Get("application/json"); media != nil {
		schema, isJSON = media.Schema, true
	}
	f := fieldOf(p.Name, p.Required, schema, nil)
	f.Description = markdownLine(p.Description)
	if p.Example != nil {
		f.Example = exampleText(p.Example)
	}
	return parameter{field: f, In: p.In, JSON: isJSON, Boolean: resolved(schema).Type.Is("boolean")}
}

func (o *operation) describeAnswers(op *openapi3.Operation) {
	for status, ref := range op.Responses.Map() {
		schema := ref.Value.Content.Get("application/json").Schema
		if status != "200" {
			f := failure{Status: status, Description: markdownLine(*ref.Value.Description)}
			if named(schema) != commonError {
				f.Fields = membersOf(schema, nil)
			}
			o.Errors = append(o.Errors, f)
			continue
		}
		o.Returns, o.Answer = markdownLine(*ref.Value.Description), membersOf(schema, nil)
		o.AnswerShown = highlighted(example(schema, "", nil), "json")
	}
	slices.SortFunc(o.Errors, func(a, b failure) int { return strings.Compare(a.Status, b.Status) })
}
