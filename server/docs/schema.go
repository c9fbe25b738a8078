package docs

import (
	"encoding/json"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// field is one member of an object, or one parameter, as the reference shows it.
type field struct {
	ID          string // its address on the page
	Name        string
	Type        string
	Required    bool
	Rules       []string
	Values      []string // of an enum
	Description template.HTML
	Example     string // as JSON; a string without its quotes
	Fields      []field
}

// resolved is a schema with the single allOf that gives a reference its own description taken together.
func resolved(ref *openapi3.SchemaRef) openapi3.Schema {
	schema := *ref.Value
	for _, part := range schema.AllOf {
		of := resolved(part)
		if schema.Description != "" {
			of.Description = schema.Description
		}
		of.Nullable = of.Nullable || schema.Nullable
		schema = of
	}
	return schema
}

// named is the name under which a schema stands in the document, or nothing.
func named(ref *openapi3.SchemaRef) string {
	if ref.Ref == "" && len(ref.Value.AllOf) == 1 {
		return named(ref.Value.AllOf[0])
	}
	if ref.Ref == "" {
		return ""
	}
	return path.Base(ref.Ref)
}

// fieldOf describes a schema; inside are the named schemas around it, so that a tree ends.
func fieldOf(name string, required bool, ref *openapi3.SchemaRef, inside []string) field {
	schema := resolved(ref)
	f := field{
		Name:        name,
		Type:        typeOf(ref),
		Required:    required,
		Rules:       rulesOf(schema),
		Description: markdownLine(schema.Description),
		Example:     exampleText(schema.Example),
	}
	for _, value := range schema.Enum {
		f.Values = append(f.Values, fmt.Sprint(value))
	}
	f.Fields = membersOf(ref, inside)
	return f
}

// addressed gives each field an address below one that is taken: of an operation's part, or of the object around it.
func addressed(above string, list []field) {
	for i := range list {
		list[i].ID = above + "." + list[i].Name
		addressed(list[i].ID, list[i].Fields)
	}
}

// membersOf lists the members of an object, or of the objects in a list, the required ones first in the order in which
// the document names them.
func membersOf(ref *openapi3.SchemaRef, inside []string) []field {
	if name := named(ref); name != "" {
		if slices.Contains(inside, name) {
			return nil
		}
		inside = append(slices.Clip(inside), name)
	}
	schema := resolved(ref)
	if schema.Items != nil {
		return membersOf(schema.Items, inside)
	}
	var list []field
	for _, name := range memberNames(schema) {
		list = append(list, fieldOf(name, slices.Contains(schema.Required, name), schema.Properties[name], inside))
	}
	return list
}

func memberNames(schema openapi3.Schema) []string {
	names := slices.Clone(schema.Required)
	var optional []string
	for name := range schema.Properties {
		if !slices.Contains(names, name) {
			optional = append(optional, name)
		}
	}
	slices.Sort(optional)
	return append(names, optional...)
}

func typeOf(ref *openapi3.SchemaRef) string {
	schema := resolved(ref)
	text := "any"
	switch {
	case schema.Items != nil:
		text = "array of " + typeOf(schema.Items)
	case schema.Type != nil:
		text = strings.Join(schema.Type.Slice(), " or ")
	}
	switch schema.Format {
	case "uuid", "date", "date-time":
		text = schema.Format
	case "date-or-datetime":
		text = "date or date-time"
	}
	if text == "object" && named(ref) != "" {
		text = named(ref)
	}
	if schema.Nullable {
		text += " or null"
	}
	return text
}

func rulesOf(schema openapi3.Schema) []string {
	var rules []string
	span := func(unit string, from uint64, to *uint64) {
		switch {
		case to != nil && from > 0:
			rules = append(rules, fmt.Sprintf("%d to %d %s", from, *to, unit))
		case to != nil:
			rules = append(rules, fmt.Sprintf("at most %d %s", *to, unit))
		case from > 0:
			rules = append(rules, fmt.Sprintf("at least %d %s", from, unit))
		}
	}
	span("characters", schema.MinLength, schema.MaxLength)
	span("items", schema.MinItems, schema.MaxItems)
	if schema.Min != nil {
		rules = append(rules, "at least "+exampleText(*schema.Min))
	}
	if schema.Max != nil {
		rules = append(rules, "at most "+exampleText(*schema.Max))
	}
	if decimals, says := schema.Extensions["x-decimals"]; says {
		rules = append(rules, "at most "+exampleText(decimals)+" decimals")
	}
	if schema.Pattern != "" && schema.Format == "" {
		rules = append(rules, "matches "+schema.Pattern)
	}
	return rules
}

// exampleText is a value as it stands in JSON, a string as it stands in a path.
func exampleText(value any) string {
	if value == nil {
		return ""
	}
	if text, ok := value.(string); ok {
		return text
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(raw)
}

// example writes a value that fits the schema, from the examples of its parts, with members in the order of membersOf.
func example(ref *openapi3.SchemaRef, indent string, inside []string) string {
	if name := named(ref); name != "" {
		if slices.Contains(inside, name) {
			return ""
		}
		inside = append(slices.Clip(inside), name)
	}
	schema := resolved(ref)
	deeper := indent + "  "
	switch {
	case schema.Example != nil:
		raw, _ := json.Marshal(schema.Example) // it came from YAML
		return string(raw)
	case schema.Items != nil:
		item := example(schema.Items, deeper, inside)
		if item == "" {
			return "[]"
		}
		return "[\n" + deeper + item + "\n" + indent + "]"
	case len(schema.Properties) > 0:
		var lines []string
		for _, name := range memberNames(schema) {
			if value := example(schema.Properties[name], deeper, inside); value != "" {
				lines = append(lines, fmt.Sprintf("%s%q: %s", deeper, name, value))
			}
		}
		return "{\n" + strings.Join(lines, ",\n") + "\n" + indent + "}"
	case len(schema.Enum) > 0:
		raw, _ := json.Marshal(schema.Enum[0])
		return string(raw)
	}
	return "null"
}
