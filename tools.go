//go:build tools

// Package tools pins the programs that `go generate` and `make check` run, so that go.mod is the one
// place where their versions are decided.
package tools

import (
	_ "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"
	_ "github.com/oasdiff/oasdiff"
)
