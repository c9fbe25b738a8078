package server

import (
	"context"

	"bizfin/gen/api"
	"bizfin/internal/partnertoken"
	"bizfin/store"
)

// ConnectPartner reconciles a person's businesses with the list that their partner signed.
func (s *Server) ConnectPartner(ctx context.Context,
	_ api.ConnectPartnerRequestObject) (api.ConnectPartnerResponseObject, error) {
	found := credentialOf(ctx)
	connected, err := s.Store.Connect(ctx, s.Now(), connectionOf(*found.partner, found.payload))
	if err != nil {
		return nil, err
	}
	callerOf(ctx).person = connected.PersonID
	answer := api.ConnectPartner200JSONResponse{
		UserId:        connected.PersonID,
		Organizations: make([]api.ConnectedOrganization, len(connected.Organizations)),
	}
	for i, o := range connected.Organizations {
		answer.Organizations[i] = api.ConnectedOrganization{
			BusinessId: o.BusinessID, OrganizationId: o.OrganizationID, SourceId: o.SourceID, Role: api.Role(o.Role),
		}
		if found.payload.BusinessID != nil && o.BusinessID == *found.payload.BusinessID {
			answer.OrganizationId, answer.SourceId = &o.OrganizationID, &o.SourceID
		}
	}
	return answer, nil
}

func connectionOf(p partnertoken.Partner, payload partnertoken.Payload) store.Connection {
	c := store.Connection{PartnerID: p.PartnerID, Subject: p.Subject, Email: p.Email, Name: p.Name, Tier: payload.Tier}
	for _, b := range payload.Businesses {
		c.Businesses = append(c.Businesses, store.Business{ID: b.ID, Name: b.Name, Role: b.Role})
	}
	return c
}
