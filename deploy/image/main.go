// Command image makes the program's image without a daemon: an OCI layout in a tar file, for `podman load`, `skopeo`,
// `crane push`, `ctr image import` and Docker from 25 on. The same commit gives the same bytes on every machine.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

func main() {
	log.SetFlags(0)
	s := settings{}
	flag.StringVar(&s.top, "top", "../..", "the folder of the project")
	flag.StringVar(&s.out, "out", "../../bin/bizfin-image.tar", "the file to write")
	flag.StringVar(&s.release, "release", "", "what the release is called, such as v1.0.0; the commit where empty")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64", "separated by commas")
	flag.Parse()
	s.platforms = strings.Split(*platforms, ",")
	digest, err := s.make()
	if err != nil {
		log.Fatal("image: ", err)
	}
	fmt.Printf("%s %s\n", digest, s.out)
}

// settings say what to make.
type settings struct {
	top, out, release string
	platforms         []string
}

// make writes the file and returns the digest of the index in it.
func (s settings) make() (v1.Hash, error) {
	revision, err := s.git("rev-parse", "HEAD")
	if err != nil {
		return v1.Hash{}, err
	}
	if changes, err := s.git("status", "--porcelain", "--untracked-files=no"); err != nil {
		return v1.Hash{}, err
	} else if changes != "" {
		revision += "+changes"
	}
	if s.release == "" {
		if s.release, err = s.git("describe", "--always", "--tags"); err != nil {
			return v1.Hash{}, err
		}
	}
	var images []v1.Image
	for _, platform := range s.platforms {
		system, machine, ok := strings.Cut(platform, "/")
		if !ok {
			return v1.Hash{}, fmt.Errorf("%q is no platform such as linux/amd64", platform)
		}
		program, err := s.build(system, machine, revision)
		if err != nil {
			return v1.Hash{}, err
		}
		image, err := s.image(program, &v1.Platform{OS: system, Architecture: machine}, revision)
		if err != nil {
			return v1.Hash{}, err
		}
		images = append(images, image)
	}
	return write(images, s.out)
}

func (s settings) git(arguments ...string) (string, error) {
	command := exec.Command("git", append([]string{"-C", s.top}, arguments...)...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	return strings.TrimSpace(string(out)), err
}

// build compiles the program, static and the same wherever the project lies.
func (s settings) build(system, machine, revision string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "bizfin-image-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "bizfin")
	set := "-s -w -X main.release=" + s.release + " -X main.revision=" + revision
	command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", set, "-o", program,
		"./cmd/bizfin")
	command.Dir = s.top
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+machine, "GOFLAGS=")
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(program)
}
