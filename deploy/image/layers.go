package main

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// user is nobody in particular, who may nothing: the nonroot of distroless images.
const user = "65532:65532"

// The times in the image say nothing of when it was made.
var epoch = time.Unix(0, 0).UTC()

// image holds the program and the licences, and nothing else: the program brings its authorities and needs no files.
func (s settings) image(program []byte, platform *v1.Platform, revision string) (v1.Image, error) {
	files := []file{{"bizfin", 0o755, program}}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		text, err := os.ReadFile(filepath.Join(s.top, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{"licenses/" + name, 0o644, text})
	}
	packed, err := pack(files)
	if err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON),
		types.OCIManifestSchema1), layer)
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, &v1.ConfigFile{
		Architecture: platform.Architecture,
		OS:           platform.OS,
		Created:      v1.Time{Time: epoch},
		RootFS:       rootOf(image),
		Config: v1.Config{
			User:         user,
			Entrypoint:   []string{"/bizfin"},
			Cmd:          []string{"serve"},
			ExposedPorts: map[string]struct{}{"8080/tcp": {}},
			Labels: map[string]string{
				"org.opencontainers.image.title":    "bizfin",
				"org.opencontainers.image.licenses": "Apache-2.0",
				"org.opencontainers.image.version":  s.release,
				"org.opencontainers.image.revision": revision,
			},
		},
	})
}

// rootOf is the list of layers of an image that was just made.
func rootOf(image v1.Image) v1.RootFS {
	config, err := image.ConfigFile()
	if err != nil {
		panic(err) // it is in memory
	}
	return config.RootFS
}

// file is one of an archive.
type file struct {
	name string
	mode int64
	body []byte
}

// pack makes an archive in which everything belongs to root and was made at the same time.
func pack(files []file) ([]byte, error) {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	for _, f := range files {
		head := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.body)), ModTime: epoch, Format: tar.FormatPAX}
		if err := archive.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.body); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}

// write puts the images into a layout, and the layout into one file.
func write(images []v1.Image, out string) (v1.Hash, error) {
	index := v1.ImageIndex(empty.Index)
	for _, image := range images {
		config, err := image.ConfigFile()
		if err != nil {
			return v1.Hash{}, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: config.OS, Architecture: config.Architecture}}})
	}
	folder, err := os.MkdirTemp("", "bizfin-layout-")
	if err != nil {
		return v1.Hash{}, err
	}
	defer os.RemoveAll(folder)
	if _, err := layout.Write(folder, index); err != nil {
		return v1.Hash{}, err
	}
	var files []file
	err = filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error { // in the order of names
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		body, err := os.ReadFile(at)
		files = append(files, file{filepath.ToSlash(name), 0o644, body})
		return err
	})
	if err != nil {
		return v1.Hash{}, err
	}
	packed, err := pack(files)
	if err != nil {
		return v1.Hash{}, err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return v1.Hash{}, err
	}
	if err := os.WriteFile(out, packed, 0o644); err != nil {
		return v1.Hash{}, err
	}
	return index.Digest()
}
