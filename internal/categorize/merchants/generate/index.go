package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// indexPath is where the package keeps its data.
const indexPath = "dist/json/nsi.json"

// index is the part of the package's data that is read.
type index struct {
	Meta struct {
		Version string `json:"version"`
	} `json:"_meta"`
	// Kinds are the brands by kind: "brands/amenity/cafe".
	Kinds map[string]struct {
		Items []item `json:"items"`
	} `json:"nsi"`
}

// item is one brand of one kind.
type item struct {
	LocationSet struct {
		Include []any `json:"include"` // codes, or points as [longitude, latitude, radius]
		Exclude []any `json:"exclude"`
	} `json:"locationSet"`
	MatchNames []string          `json:"matchNames"`
	Tags       map[string]string `json:"tags"`
}

// readIndex reads the package from its directory or from its tarball.
func readIndex(path string) (*index, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		f, err := os.Open(filepath.Join(path, filepath.FromSlash(indexPath)))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return decode(f)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for archive := tar.NewReader(unzipped); ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("no %s in %s", indexPath, path)
		}
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(entry.Name, "/"+indexPath) {
			return decode(archive)
		}
	}
}

func decode(r io.Reader) (*index, error) {
	var out index
	if err := json.NewDecoder(r).Decode(&out); err != nil {
		return nil, err
	}
	if out.Meta.Version == "" || len(out.Kinds) == 0 {
		return nil, errors.New("not the data of name-suggestion-index")
	}
	return &out, nil
}

// american reports whether the brand is found in the United States: in all of
// it, in a state or city, or everywhere. Points on the map are not read. Local
// operators that the index places everywhere are those it has no place for, so
// everywhere counts for brands only.
func (i item) american(operator bool) bool {
	for _, place := range i.LocationSet.Exclude {
		if code, ok := place.(string); ok && strings.EqualFold(code, "us") {
			return false
		}
	}
	for _, place := range i.LocationSet.Include {
		code, ok := place.(string)
		if !ok {
			continue
		}
		switch code = strings.ToLower(code); {
		case code == "us", code == "conus", code == "001" && !operator, strings.HasPrefix(code, "us-"):
			return true
		}
	}
	return false
}
