//go:build tools

// The programs that `go generate` and `make check` run. go.mod pins their versions.

package bizfin

import (
	_ "github.com/OpenPeeDeeP/depguard/v2/cmd/depguard"
	_ "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"
	_ "github.com/oasdiff/oasdiff"
	_ "honnef.co/go/tools/cmd/staticcheck"
)
