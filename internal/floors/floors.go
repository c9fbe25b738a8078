// Package floors is for tests that hold how the files of a package use each other: in one direction, so that a reader
// who begins at the bottom needs nothing that is further up.
package floors

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Uses says of each file of a package which others it uses, and by which name of theirs. A method counts as its
// function does, a field does not: who has a value may look at it.
type Uses map[string]map[string]string

// Of is the package in the current folder, which is that of its tests, without them.
func Of(t *testing.T) Uses {
	t.Helper()
	own, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	uses := Uses{}
	var parsed []*ast.File
	for _, name := range own.GoFiles {
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed, uses[name] = append(parsed, file), map[string]string{}
	}
	found := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(files, "gc", imported(t))}
	checked, err := config.Check(own.Name, files, parsed, &found)
	if err != nil {
		t.Fatal(err)
	}
	for at, object := range found.Uses {
		field, ok := object.(*types.Var)
		if object.Pkg() != checked || ok && field.IsField() {
			continue
		}
		from, to := files.Position(at.Pos()).Filename, files.Position(object.Pos()).Filename
		if from != to {
			uses[from][to] = object.Name()
		}
	}
	return uses
}

// imported reads what the compiler says of the packages that the one in the current folder imports.
func imported(t *testing.T) importer.Lookup {
	t.Helper()
	listed, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	compiled := map[string]string{}
	for line := range strings.Lines(string(listed)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		compiled[path] = file
	}
	return func(path string) (io.ReadCloser, error) {
		raw, err := os.ReadFile(compiled[path])
		return io.NopCloser(bytes.NewReader(raw)), err
	}
}

// NoCircles fails where files use each other in a circle.
func (u Uses) NoCircles(t *testing.T) {
	t.Helper()
	for _, circle := range u.circles() {
		t.Error("files use each other in a circle:", circle)
	}
}

// circles are the ways from a file to itself, one for each file where a walk came to where it is already.
func (u Uses) circles() []string {
	var circles, way []string
	done := map[string]bool{}
	var walk func(file string)
	walk = func(file string) {
		if at := slices.Index(way, file); at >= 0 {
			circles = append(circles, u.spoken(append(slices.Clone(way[at:]), file)))
			return
		}
		if done[file] {
			return
		}
		way = append(way, file)
		for _, to := range slices.Sorted(maps.Keys(u[file])) {
			walk(to)
		}
		way, done[file] = way[:len(way)-1], true
	}
	for _, file := range slices.Sorted(maps.Keys(u)) {
		walk(file)
	}
	return circles
}

// spoken is a way with the names by which each file of it uses the next.
func (u Uses) spoken(way []string) string {
	said := way[0]
	for i, to := range way[1:] {
		said += " uses " + u[way[i]][to] + " of " + to
		if i < len(way)-2 {
			said += ", which"
		}
	}
	return said
}
