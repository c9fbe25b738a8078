// Package docs serves the documentation: a reference made from the OpenAPI document, with a form to try each operation,
// and guides beside it. Everything is rendered once from what is embedded in the program; nothing is fetched from
// elsewhere, and the Content-Security-Policy of every page forbids it.
package docs

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed assets pages guides
var files embed.FS

// policy allows what this server serves and nothing else. Neither inline scripts nor inline styles are used.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Site is the rendered documentation. It is an http.Handler for the paths under its base.
type Site struct {
	base  string // without a slash at the end
	files map[string]file
}

// file is one address of the site.
type file struct {
	media string
	tag   string // the ETag; weak, as the packed and the plain body have it (RFC 9110, section 8.8.1)
	body  Packed
}

// page is what every template gets.
type page struct {
	Title   string
	API     string // the base path of the operations
	Base    string // of the documentation
	Section string // "reference" or "guides"
	Version string // of the assets, so that browsers keep them no longer than they are right
	Content any
}

// addAssets adds the styles and scripts and returns their common version.
func (s *Site) addAssets() (version string, err error) {
	all := sha256.New()
	list, err := fs.Glob(files, "assets/*")
	if err != nil {
		return "", err
	}
	for _, name := range list {
		body, err := files.ReadFile(name)
		if err != nil {
			return "", err
		}
		all.Write(body)
		s.add("/"+name, mime.TypeByExtension(path.Ext(name)), body)
	}
	return hex.EncodeToString(all.Sum(nil))[:12], nil
}

func (s *Site) addPage(at, name string, p page) error {
	p.Base = s.base
	t, err := template.ParseFS(files, "pages/frame.html", "pages/parts.html", "pages/"+name)
	if err != nil {
		return fmt.Errorf("docs: %w", err)
	}
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, "frame.html", p); err != nil {
		return fmt.Errorf("docs: %w", err)
	}
	s.add(at, "text/html; charset=utf-8", out.Bytes())
	return nil
}

func (s *Site) add(at, media string, body []byte) {
	sum := sha256.Sum256(body)
	s.files[s.base+at] = file{media: media, tag: `W/"` + hex.EncodeToString(sum[:8]) + `"`, body: Pack(body)}
}

// ServeHTTP answers a page or an asset, and 404 as plain text for anything else.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, ok := s.files[r.URL.Path]
	if !ok {
		if _, ok := s.files[strings.TrimSuffix(r.URL.Path, "/")]; ok && strings.HasSuffix(r.URL.Path, "/") {
			http.Redirect(w, r, strings.TrimSuffix(r.URL.Path, "/"), http.StatusSeeOther)
			return
		}
		http.Error(w, "There is no such page. The documentation starts at "+s.base+"/.", http.StatusNotFound)
		return
	}
	header := w.Header()
	header.Set("Content-Type", found.media)
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("ETag", found.tag)
	header.Set("Cache-Control", "no-cache") // kept, and asked about each time
	if knows(r.Header.Values("If-None-Match"), found.tag) {
		header.Add("Vary", "Accept-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	found.body.Write(w, r)
}

// knows reports whether a client has a version already: it names its tag, weak or strong, among others, or any (RFC
// 9110, section 13.1.2).
func knows(tags []string, tag string) bool {
	for named := range strings.SplitSeq(strings.Join(tags, ","), ",") {
		named = strings.TrimSpace(named)
		if named == "*" || strings.TrimPrefix(named, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
