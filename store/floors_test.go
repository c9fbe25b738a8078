package store_test

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The package comment lists families of files, a floor a line: a file uses those of its floor and of the floors below,
// and no files use each other in a circle.
func TestFilesUseEachOtherDownwards(t *testing.T) {
	t.Parallel()
	uses := usesOfFiles(t)
	floors := floorsOfFamilies(t)
	floor := func(file string) int {
		family, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
		at, ok := floors[family]
		if !ok {
			t.Errorf("the package comment names no family %s, of %s", family, file)
		}
		return at
	}
	for from, others := range uses {
		for to, name := range others {
			if floor(from) > floor(to) {
				t.Errorf("%s uses %s of %s, which stands above it", from, name, to)
			}
		}
	}
	above := map[string]bool{} // files from which a walk downwards came to where it is
	done := map[string]bool{}
	var walk func(file string, path []string)
	walk = func(file string, path []string) {
		if above[file] {
			t.Errorf("files use each other in a circle: %s", strings.Join(append(path, file), " -> "))
		}
		if above[file] || done[file] {
			return
		}
		above[file] = true
		for _, to := range slices.Sorted(maps.Keys(uses[file])) {
			walk(to, append(path, file))
		}
		above[file], done[file] = false, true
	}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		walk(file, nil)
	}
}

// floorsOfFamilies are those of the package comment, counted from the top.
func floorsOfFamilies(t *testing.T) map[string]int {
	t.Helper()
	source, err := os.ReadFile("store.go")
	must(t, err)
	_, list, ok := strings.Cut(string(source), "// # The files\n")
	if !ok {
		t.Fatal("the package comment does not say how the files stand")
	}
	list, _, _ = strings.Cut(list, "// # ")
	floors := map[string]int{}
	for i, line := range regexp.MustCompile(`(?m)^//   - ([a-z, ]+):`).FindAllStringSubmatch(list, -1) {
		for _, family := range strings.Split(line[1], ", ") {
			floors[family] = i + 1
		}
	}
	return floors
}

// usesOfFiles are the files of the package that each uses something of, and what.
func usesOfFiles(t *testing.T) map[string]map[string]string {
	t.Helper()
	listed, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".").Output()
	must(t, err)
	compiled := map[string]string{}
	for line := range strings.Lines(string(listed)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		compiled[path] = file
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	names, err := filepath.Glob("*.go")
	must(t, err)
	uses := map[string]map[string]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		must(t, err)
		parsed, uses[name] = append(parsed, file), map[string]string{}
	}
	found := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		raw, err := os.ReadFile(compiled[path])
		return io.NopCloser(bytes.NewReader(raw)), err
	})}
	store, err := config.Check("bizfin/store", files, parsed, &found)
	must(t, err)
	for at, object := range found.Uses {
		field, ok := object.(*types.Var)
		if object.Pkg() != store || ok && field.IsField() {
			continue
		}
		from, to := files.Position(at.Pos()).Filename, files.Position(object.Pos()).Filename
		if from != to {
			uses[from][to] = object.Name()
		}
	}
	return uses
}
