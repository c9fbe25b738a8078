package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// unpack writes the files of an archive into a folder and returns their names.
func unpack(t *testing.T, archive io.Reader, folder string) (names []string) {
	t.Helper()
	reader := tar.NewReader(archive)
	for {
		head, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		if head.Uid != 0 || head.Gid != 0 || head.ModTime.Unix() != 0 {
			t.Errorf("%s belongs to %d and is of %s", head.Name, head.Uid, head.ModTime)
		}
		body, err := io.ReadAll(reader)
		at := filepath.Join(folder, head.Name)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, body, 0o600)); err != nil {
			t.Fatal(err)
		}
		names = append(names, head.Name)
	}
}

// The image is made twice for this machine; the one is read, and compared with the other.
func TestTheImageIsTheProgramAloneAndTheSameEachTime(t *testing.T) {
	folder := t.TempDir()
	s := settings{top: "../..", out: filepath.Join(folder, "one.tar"), release: "v0.0.0-test",
		platforms: []string{"linux/" + runtime.GOARCH}}
	digest, err := s.make()
	if err != nil {
		t.Fatal(err)
	}
	one, err := os.ReadFile(s.out)
	if err != nil {
		t.Fatal(err)
	}
	s.out = filepath.Join(folder, "two.tar")
	if _, err := s.make(); err != nil {
		t.Fatal(err)
	}
	if two, err := os.ReadFile(s.out); err != nil || !bytes.Equal(one, two) {
		t.Errorf("the second one is another (%v)", err)
	}

	unpack(t, bytes.NewReader(one), filepath.Join(folder, "layout"))
	index, err := layout.ImageIndexFromPath(filepath.Join(folder, "layout"))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	if got, err := index.Digest(); err != nil || got != digest {
		t.Errorf("the digest is %s, and %s was told: %v", got, digest, err)
	}
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 || manifest.Manifests[0].Platform.Architecture != runtime.GOARCH {
		t.Fatalf("%v %+v", err, manifest)
	}
	image, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	s.holdConfig(t, image)
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers: %v", len(layers), err)
	}
	files, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	names := unpack(t, files, filepath.Join(folder, "root"))
	if want := []string{"bizfin", "licenses/LICENSE", "licenses/NOTICE"}; !slices.Equal(names, want) {
		t.Errorf("it holds %q", names)
	}
	program, err := elf.Open(filepath.Join(folder, "root", "bizfin"))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if program.Section(".interp") != nil || program.Section(".dynamic") != nil {
		t.Error("the program is not static")
	}
}

func (s settings) holdConfig(t *testing.T, image v1.Image) {
	t.Helper()
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Config
	runs := slices.Concat(c.Entrypoint, c.Cmd)
	if c.User != user || !slices.Equal(runs, []string{"/bizfin", "serve"}) ||
		c.Labels["org.opencontainers.image.version"] != s.release ||
		len(c.Labels["org.opencontainers.image.revision"]) < len("da39a3ee5e6b4b0d3255bfef95601890afd80709") {
		text, _ := json.Marshal(c)
		t.Errorf("it is configured as %s", text)
	}
}
