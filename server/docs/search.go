package docs

import (
	"encoding/json"
	"html"
	"html/template"
	"strings"
)

// entry is something that the search of every page finds.
type entry struct {
	Title   string `json:"title"`
	Kind    string `json:"kind"` // where it is, in words
	Address string `json:"address"`
	Text    string `json:"text"`
}

// index lists operations, their fields, and the parts of guides, which explain the codes of errors.
func (s *Site) index(r reference, guides []guide) ([]byte, error) {
	var list []entry
	var fields func(kind string, of []field)
	fields = func(kind string, of []field) {
		for _, f := range of {
			list = append(list, entry{f.Name, kind, s.base + "/#" + f.ID, plain(f.Description)})
			fields(kind+", "+f.Name, f.Fields)
		}
	}
	for _, g := range r.Groups {
		for _, o := range g.Operations {
			list = append(list, entry{o.Summary, o.Method + " " + o.Path, s.base + "/#" + o.ID,
				o.ID + " " + plain(o.Description)})
			for _, p := range o.Parameters {
				fields(o.ID+", parameter", []field{p.field})
			}
			fields(o.ID+", body", o.Body)
			fields(o.ID+", answer", o.Answer)
		}
	}
	fields("Errors", r.Error)
	for _, g := range guides {
		parts := headings.Split(string(g.Body), -1) // the first is what stands before all headings
		list = append(list, entry{g.Title, "Guide", s.base + "/guides/" + g.Name, plain(template.HTML(parts[0]))})
		for i, p := range g.Parts {
			list = append(list, entry{plain(p.Title), "Guide: " + g.Title, s.base + "/guides/" + g.Name + "#" + p.ID,
				plain(template.HTML(parts[i+1]))})
		}
	}
	return json.Marshal(list)
}

// plain is a text without its tags.
func plain(text template.HTML) string {
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(string(text), " "))), " ")
}
