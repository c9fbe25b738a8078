// Package bizfin is the top folder of the project, for what stands there and the program shows.
package bizfin

import _ "embed"

// Changelog is CHANGELOG.md.
//
//go:embed CHANGELOG.md
var Changelog []byte
