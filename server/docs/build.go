package docs

import (
	"fmt"

	"bizfin/openapi"
)

// New renders the documentation. The operations are served under api, the pages under api/docs. It takes some 30 ms.
func New(api string) (*Site, error) {
	s := &Site{base: api + "/docs", files: map[string]file{}}
	doc, err := openapi.Load()
	if err != nil {
		return nil, err
	}
	version, err := s.addAssets()
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	reference, err := referenceOf(doc, api)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	if err := s.addPage("/", "reference.html",
		page{Title: doc.Info.Title, Section: "reference", API: api, Version: version, Content: reference}); err != nil {
		return nil, err
	}
	guides, err := readGuides()
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	if err := s.addPage("/guides/", "guides.html", page{Title: "Guides", Section: "guides", API: api, Version: version,
		Content: guides}); err != nil {
		return nil, err
	}
	index, err := s.index(reference, guides)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	s.add("/search.json", "application/json", index)
	for i, guide := range guides {
		shown := opened{Guide: guide, All: guides}
		if i > 0 {
			shown.Previous = &guides[i-1]
		}
		if i+1 < len(guides) {
			shown.Next = &guides[i+1]
		}
		if err := s.addPage("/guides/"+guide.Name, "guide.html",
			page{Title: guide.Title, Section: "guides", API: api, Version: version, Content: shown}); err != nil {
			return nil, err
		}
	}
	return s, nil
}
