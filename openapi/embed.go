// Package openapi holds the API's contract: the document that partners generate clients from, that the server is
// generated from, and that every request is judged by.
package openapi

import (
	_ "embed"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
)

// YAML is openapi.yaml exactly as it stands in the tree.
//
//go:embed openapi.yaml
var YAML []byte

// Load parses and checks the document. Each call returns a copy of its own, so that a caller may change it.
func Load() (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(YAML)
	if err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	if err := doc.Validate(loader.Context, openapi3.DisableExamplesValidation()); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}
	return doc, nil
}
