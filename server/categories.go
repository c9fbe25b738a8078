package server

import (
	"context"
	"sync"

	"bizfin/gen/api"
	"bizfin/internal/ontology"
)

// ListCategories answers the whole category tree.
func (s *Server) ListCategories(_ context.Context,
	r api.ListCategoriesRequestObject) (api.ListCategoriesResponseObject, error) {
	if inShort(r.Params.Detail) {
		return categorySummary(), nil
	}
	return categoryList(), nil
}

var categoryList = sync.OnceValue(func() api.ListCategories200JSONResponse {
	o := ontology.ScheduleC()
	return api.ListCategories200JSONResponse{
		Ontology:   toAPIOntology(o),
		Categories: convert(o.Roots, toAPICategory),
	}
})

var categorySummary = sync.OnceValue(func() api.ListCategories200JSONResponse {
	o := ontology.ScheduleC()
	summary := &api.CategorySummary{Omitted: []string{"categories"}}
	for _, c := range o.All() {
		summary.CategoryPaths = append(summary.CategoryPaths, c.Path)
		if !c.Assignable {
			summary.Headings = append(summary.Headings, c.Path)
		}
	}
	return api.ListCategories200JSONResponse{Ontology: toAPIOntology(o), Categories: []api.Category{}, Summary: summary}
})

func toAPIOntology(o *ontology.Ontology) api.OntologyRef {
	return api.OntologyRef{Id: o.ID, Key: o.Key, Name: o.Name, Version: o.Version}
}

func toAPICategory(c *ontology.Category) api.Category {
	return api.Category{
		Id:                c.IDString(),
		CategoryPath:      c.Path,
		Path:              c.Names,
		Name:              c.Name,
		Kind:              string(c.Kind),
		ScheduleCLine:     optional(c.ScheduleCLine),
		DeductiblePercent: c.DeductiblePercent,
		Assignable:        c.Assignable,
		Description:       c.Description,
		Children:          convert(c.Children, toAPICategory),
	}
}
