package docs

import (
	"bytes"
	"fmt"
	"html/template"
	"path"
	"regexp"
	"strings"

	"bizfin"
)

// order is the order in which the guides are listed: from the first request to the special cases.
var order = []string{
	"getting-started", "signing-tokens", "connecting", "uploading", "reading", "splits", "errors", "retries", "clients",
	"agents", "agent-sign-in", "webhook", "webhook-migration", changelog,
}

// changelog stands on top of the tree.
const changelog = "changelog"

// guide is one rendered text.
type guide struct {
	Name    string // the last part of its address
	Title   string
	Summary template.HTML // its first sentence, without links
	Body    template.HTML
	Parts   []part
}

// part is a heading of the second level.
type part struct {
	ID    string
	Title template.HTML
}

// opened is a guide with what stands around it.
type opened struct {
	Guide          guide
	All            []guide
	Previous, Next *guide
}

var tag = regexp.MustCompile(`<[^>]*>`)

var headings = regexp.MustCompile(`<h2 id="([^"]+)">(.*?)</h2>`)

func source(name string) ([]byte, error) {
	if name == changelog {
		return bizfin.Changelog, nil
	}
	return files.ReadFile(path.Join("guides", name+".md"))
}

func readGuides() ([]guide, error) {
	var list []guide
	for _, name := range order {
		text, err := source(name)
		if err != nil {
			return nil, err
		}
		title, rest, ok := bytes.Cut(text, []byte("\n\n"))
		if !ok || !bytes.HasPrefix(title, []byte("# ")) {
			return nil, fmt.Errorf("guide %s: no title and first paragraph", name)
		}
		summary, _, _ := strings.Cut(strings.ReplaceAll(string(rest), "\n", " "), ". ")
		g := guide{
			Name:    name,
			Title:   strings.TrimPrefix(string(title), "# "),
			Summary: template.HTML(tag.ReplaceAllString(string(markdownLine(summary+".")), "")),
			Body:    linked(markdown(string(text))),
		}
		for _, found := range headings.FindAllStringSubmatch(string(g.Body), -1) {
			g.Parts = append(g.Parts, part{ID: found[1], Title: template.HTML(tag.ReplaceAllString(found[2], ""))})
		}
		list = append(list, g)
	}
	return list, nil
}

// links of the guides name files, so that they lead somewhere in the tree too.
var (
	linkToGuide    = regexp.MustCompile(`href="([a-z-]+)\.md(#[^"]*)?"`)
	linkOutside    = regexp.MustCompile(`<a href="(?:https?:|docs/)[^>]*>(.*?)</a>`) // of the changelog
	linkToDocument = regexp.MustCompile(`href="\.\./\.\./\.\./openapi/openapi\.yaml"`)
	table          = regexp.MustCompile(`(?s)<table>.*?</table>`)
)

// linked turns links between files into links between pages, and lets wide tables scroll by themselves.
func linked(body template.HTML) template.HTML {
	out := linkToGuide.ReplaceAllString(string(body), `href="$1$2"`)
	out = linkOutside.ReplaceAllString(out, "$1")
	out = linkToDocument.ReplaceAllString(out, `href="../"`)
	return template.HTML(table.ReplaceAllString(out, `<div class="wide">$0</div>`))
}
