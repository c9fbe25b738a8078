package server

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"
)

// chain is what a request passes through before its handler, in the order of the contract: no byte of a body is read
// before the caller may act on the organization.
func (op *operation) chain() []echo.MiddlewareFunc {
	chain := []echo.MiddlewareFunc{
		op.authenticate,
		op.authorize,
		op.holdToLimits,
	}
	if op.judge.HasBody() {
		chain = append(chain,
			op.checkMediaType,
			op.readBody,
			op.takeTurn,
			op.awaitTurn,
			op.validateBody,
		)
	} else {
		chain = append(chain, op.refuseLargeBody, compress, op.takeTurn, op.validateParameters)
	}
	return append(chain, refuseEmptySegment)
}

// refuseEmptySegment answers an id of no letters as one that nothing has: the generated code would call it malformed.
func refuseEmptySegment(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if slices.Contains(c.ParamValues(), "") {
			return errNotFound
		}
		return next(c)
	}
}

// So many operations are at work at a time: on one organization a quarter of the connections to the database that there
// are unless the settings say otherwise, and of one partner half of them, or two while others are there. Those beyond
// it wait for those of their own.
const (
	atOnce               = 4
	atOnceOfPartner      = 8
	atOnceOfPartnerAmong = 2
)

// takeTurn keeps one business and one partner from taking all cores and connections.
func (op *operation) takeTurn(next echo.HandlerFunc) echo.HandlerFunc {
	if op.connects {
		return func(c echo.Context) error {
			ctx := c.Request().Context()
			leave, err := op.atWorkOfPartner.take(ctx, credentialOf(ctx).partner.PartnerID)
			if err != nil {
				return err
			}
			defer leave()
			return next(c)
		}
	}
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		release, err := op.atDatabase.acquire(ctx, principalOf(ctx).organization.ID.String(), 1)
		if err != nil {
			return err
		}
		defer release()
		ctx, end, err := principalOf(ctx).organization.Visit(ctx)
		if err != nil {
			return err
		}
		defer end()
		c.SetRequest(c.Request().WithContext(ctx))
		holder := principalOf(ctx).organization.ID.String()
		if partner := principalOf(ctx).Partner; partner != nil {
			holder = *partner
		}
		leave, err := op.atWorkOfPartner.take(ctx, holder)
		if err != nil {
			return err
		}
		defer leave()
		return next(c)
	}
}

// operationsOf reads the rules of every operation that is served under the base path. An operation on an organization
// without a scope is a mistake in the document.
func (s *Server) operationsOf(doc *openapi3.T) (map[string]*operation, error) {
	uuid, err := regexp.Compile(doc.Components.Schemas["Uuid"].Value.Pattern)
	if err != nil {
		return nil, fmt.Errorf("server: pattern of Uuid: %w", err)
	}
	operations := map[string]*operation{}
	for path, item := range doc.Paths.Map() {
		if len(item.Servers) > 0 {
			continue // outside the base path
		}
		for method, described := range item.Operations() {
			judge, ok := s.validator.Route(method, path)
			if !ok {
				return nil, fmt.Errorf("server: no rules for %s %s", method, path)
			}
			op := &operation{
				Server:    s,
				id:        described.OperationID,
				judge:     judge,
				connects:  !strings.HasPrefix(path, "/organizations/{organization_id}"),
				scope:     extension(described, "x-scope", ""),
				ownerOnly: extension(described, "x-owner-only", false),
				forDemo:   extension(described, "x-demo-allowed", true),
				uuid:      uuid,
			}
			if !op.connects && op.scope == "" {
				return nil, fmt.Errorf("server: operation %s has no x-scope", op.id)
			}
			operations[op.id] = op
		}
	}
	return operations, nil
}

func extension[T any](described *openapi3.Operation, name string, fallback T) T {
	if value, ok := described.Extensions[name].(T); ok {
		return value
	}
	return fallback
}
