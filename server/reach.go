package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"bizfin/store"
)

// reachOfHeader is reach for the credential in a header.
func (s *Server) reachOfHeader(ctx context.Context, header http.Header) (string, error) {
	raw, ok := bearer(&http.Request{Header: header})
	if !ok {
		return "", errNoCredential
	}
	found, err := s.oauthToken(ctx, raw)
	if err != nil {
		return "", err
	}
	return s.reach(ctx, found)
}

// reach tells which organizations a token reaches, for an agent that has only the token. It names none: whoever
// connects a business chooses its name, and an agent takes this text for the service's own. getProfile has the names.
func (s *Server) reach(ctx context.Context, found store.OAuthToken) (string, error) {
	const most = 50
	reachable, count, err := s.reachableBy(ctx, found, most)
	if err != nil {
		return "", err
	}
	if len(reachable) == 0 {
		return "This token reaches no organization.", nil
	}
	named := make([]string, len(reachable))
	for i := range named {
		named[i] = fmt.Sprintf("%s (%s)", reachable[i].ID, reachable[i].Role)
	}
	rest := "."
	if count > most {
		rest = fmt.Sprintf(", and %d more that getProfile lists.", count-most)
	}
	return "This token reaches the organizations " + strings.Join(named, ", ") + rest, nil
}

// reachableBy lists what a token reaches: all that its person does, or what they granted.
func (s *Server) reachableBy(ctx context.Context, found store.OAuthToken, most int) ([]store.Reachable, int64, error) {
	if found.GrantID != uuid.Nil {
		return s.Store.ReachableByGrant(ctx, found.GrantID, most)
	}
	return s.Store.Reachable(ctx, found.PersonID, most)
}

// withReach adds to a failure about the organization what an OAuth token does reach. A partner's backend knows its own.
func (s *Server) withReach(ctx context.Context, f *failure) error {
	found := credentialOf(ctx)
	if found.oauth == nil {
		return f
	}
	reach, err := s.reach(ctx, *found.oauth)
	if err != nil {
		return err
	}
	told := *f
	told.message += " " + reach
	return &told
}
