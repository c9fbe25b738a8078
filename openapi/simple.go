package openapi

import (
	"encoding/json"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
)

// Simple is the document for generators that stop at a parameter with content, as orval does: an array in the query is
// a string there, whose text is JSON. What is sent and answered is the same.
func Simple() (*openapi3.T, error) {
	doc, err := Load()
	if err != nil {
		return nil, err
	}
	for _, ref := range doc.Components.Parameters {
		if err := simplify(ref.Value); err != nil {
			return nil, err
		}
	}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, ref := range op.Parameters {
				if err := simplify(ref.Value); err != nil {
					return nil, fmt.Errorf("%s: %w", op.OperationID, err)
				}
			}
		}
	}
	return doc, nil
}

func simplify(p *openapi3.Parameter) error {
	media := p.Content.Get("application/json")
	if media == nil {
		return nil
	}
	example, err := json.Marshal(media.Schema.Value.Example)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	p.Content, p.Example = nil, string(example)
	p.Schema = openapi3.NewSchemaRef("", openapi3.NewStringSchema())
	p.Description += "\nThe text of one JSON value, as JSON.stringify writes it."
	return nil
}
