package server

import (
	"context"
	"sync"

	"bizfin/gen/api"
	"bizfin/internal/ontology"
)

// ListCategories answers the whole category tree.
func (s *Server) ListCategories(context.Context,
	api.ListCategoriesRequestObject) (api.ListCategoriesResponseObject, error) {
	return categoryList(), nil
}

var categoryList = sync.OnceValue(func() api.ListCategories200JSONResponse {
	o := ontology.ScheduleC()
	return api.ListCategories200JSONResponse{
		Ontology:   api.OntologyRef{Id: o.ID, Key: o.Key, Name: o.Name, Version: o.Version},
		Categories: convert(o.Roots, toAPICategory),
	}
})

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
