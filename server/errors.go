package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"bizfin/server/validate"
	"bizfin/store"
)

// failure is an answer other than success: what the caller reads, and nothing else.
type failure struct {
	status    int
	message   string
	problems  []validate.Problem
	challenge string // WWW-Authenticate
	retry     int    // Retry-After, in seconds; 0 says nothing
}

func (f *failure) Error() string { return fmt.Sprintf("%d %s", f.status, f.message) }

var (
	errNoAnswer = errors.New("server: the handler gave no answer")

	errNoCredential = &failure{status: http.StatusUnauthorized,
		message:   "Send a valid token: Authorization: Bearer <token>, and X-Service-Partner with a partner token.",
		challenge: `Bearer realm="bizfin"`}
	errInvalidCredential = &failure{status: http.StatusUnauthorized,
		message:   "The token is invalid for this service. Sign or obtain a new one.",
		challenge: `Bearer realm="bizfin", error="invalid_token"`}
	errExpiredCredential = &failure{status: http.StatusUnauthorized,
		message:   "The token has expired. Sign or obtain a new one.",
		challenge: `Bearer realm="bizfin", error="invalid_token", error_description="expired"`}
	errLongCredential = &failure{status: http.StatusUnauthorized,
		message:   "The token is valid for longer than this service takes. Sign one with an earlier exp.",
		challenge: `Bearer realm="bizfin", error="invalid_token", error_description="exp too far ahead"`}
	errLongToken = &failure{status: http.StatusRequestHeaderFieldsTooLarge,
		message: "The token is longer than 64 KiB. Nothing of it was read. Give the businesses of its list shorter " +
			"names, or sign those the person works with."}
	errOAuthCannotConnect = &failure{status: http.StatusForbidden,
		message: "An OAuth token cannot connect businesses. Send a partner token with X-Service-Partner."}
	errNoAccess = &failure{status: http.StatusForbidden,
		message: "You have no access to this organization. Check the signed business_id, the organization_id and " +
			"the membership."}
	errOwnerOnly = &failure{status: http.StatusForbidden,
		message: "Only an owner of the business may do this."}
	errDemo      = &failure{status: http.StatusForbidden, message: "A demo user may not upload or delete."}
	errMediaType = &failure{status: http.StatusUnsupportedMediaType,
		message: "Send the body as application/json in UTF-8, without a content encoding."}
	errTooLarge = &failure{status: http.StatusRequestEntityTooLarge,
		message: "The request body exceeds 1 MiB. Send a smaller batch."}
	errMalformedJSON = &failure{status: http.StatusBadRequest,
		message: "The body is not valid JSON: one value in UTF-8, without repeated keys, nested at most 32 deep."}
	errMalformedPath = &failure{status: http.StatusBadRequest, message: "The path is not validly percent-encoded."}
	errBodyNotRead   = &failure{status: http.StatusBadRequest, message: "The body ended before it was complete."}
	errTooSlow       = &failure{status: http.StatusRequestTimeout,
		message: "The body came too slowly: its first byte within 5 seconds, then at least 16 KiB a second. Retry " +
			"the same request."}
	errBusy = &failure{status: http.StatusServiceUnavailable, retry: 2,
		message: "Too much is under way. Nothing was saved; retry the same request after the seconds of " +
			"Retry-After, with fewer at a time."}
	errAway = &failure{status: http.StatusServiceUnavailable, retry: 5,
		message: "The data of this business is out of reach at the moment. Nothing was saved; retry the same request " +
			"after the seconds of Retry-After."}
	errSearchTime = &failure{status: http.StatusServiceUnavailable, retry: 10,
		message: "The search took longer than 2 seconds. Search for fewer or rarer words, or narrow it by dates " +
			"or accounts."}
	errNotFound = &failure{status: http.StatusNotFound,
		message: "There is no such resource in this organization."}
	errNoRoute = &failure{status: http.StatusNotFound,
		message: "There is no such route. The operations are described at " + BasePath + "/openapi.json."}
	errMethod = &failure{status: http.StatusMethodNotAllowed,
		message: "This route does not have that method; see Allow."}
	errSource = &failure{status: http.StatusBadRequest,
		message: "The API source is unavailable: it is not a connected API source of this organization. Call POST " +
			"/auth/partner to connect it."}
	errFailed = &failure{status: http.StatusInternalServerError,
		message: "The request failed. Retry the same request with backoff."}
)

// invalidClaim says what is wrong with a token to whoever signed it.
func invalidClaim(reason string) *failure {
	return &failure{status: http.StatusUnauthorized,
		message:   "The token is invalid for this service: " + reason + ". Sign a new one.",
		challenge: fmt.Sprintf(`Bearer realm="bizfin", error="invalid_token", error_description=%q`, reason)}
}

// invalidPayload is invalidClaim of a payload, with what is wrong where.
func invalidPayload(problems []validate.Problem) *failure {
	f := invalidClaim("payload breaks its rules; see issues")
	f.problems = validate.Limit(problems)
	return f
}

// unprocessable is a 422 with its problems.
func unprocessable(problems ...validate.Problem) *failure {
	message := fmt.Sprintf("The request has %d problems; see issues.", len(problems))
	switch {
	case len(problems) == 1:
		message = "The request has 1 problem; see issues."
	case len(problems) >= validate.MaxProblems:
		message = fmt.Sprintf("The request has at least %d problems; see issues.", validate.MaxProblems)
	}
	return &failure{status: http.StatusUnprocessableEntity, message: message, problems: validate.Limit(problems)}
}

// insufficientScope names the scope an OAuth token lacks (RFC 6750, section 3.1).
func insufficientScope(scope string) *failure {
	return &failure{
		status:    http.StatusForbidden,
		message:   "The token lacks the scope " + scope + ".",
		challenge: fmt.Sprintf(`Bearer realm="bizfin", error="insufficient_scope", scope=%q`, scope),
	}
}

// movedTransactions names the transactions that an upload would move.
func movedTransactions(moved *store.MovedError) *failure {
	const named = 10
	ids := moved.ExternalIDs
	rest := ""
	if len(ids) > named {
		rest = fmt.Sprintf(" and %d more", len(ids)-named)
		ids = ids[:named]
	}
	quoted := make([]string, len(ids))
	for i, id := range ids {
		quoted[i] = fmt.Sprintf("%q", id)
	}
	return &failure{
		status: http.StatusBadRequest,
		message: "Transactions cannot move to another account. These external_ids belong to another account: " +
			strings.Join(quoted, ", ") + rest + ".",
	}
}

// failureOf is the one table from outcomes to answers. What it does not know is a failure of the service.
func failureOf(err error) *failure {
	var known *failure
	var moved *store.MovedError
	var routed *echo.HTTPError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &moved):
		return movedTransactions(moved)
	case errors.Is(err, store.ErrNotFound):
		return errNotFound
	case errors.Is(err, store.ErrNoAccess):
		return errNoAccess
	case errors.Is(err, store.ErrInvalidCredential):
		return errInvalidCredential
	case errors.Is(err, store.ErrSourceUnavailable):
		return errSource
	case errors.Is(err, store.ErrBusy), errors.Is(err, store.ErrSlow):
		return errBusy
	case errors.Is(err, store.ErrAway):
		return errAway
	case errors.Is(err, store.ErrSearchTime):
		return errSearchTime
	case errors.Is(err, store.ErrCursor):
		return unprocessable(validate.Problem{In: validate.InQuery, Path: "/cursor", Code: validate.CodeFormat,
			Message: "must be the nextCursor of a page of this business with the same filters"})
	case errors.As(err, &routed) && routed.Code == http.StatusNotFound:
		return errNoRoute
	case errors.As(err, &routed) && routed.Code == http.StatusMethodNotAllowed:
		return errMethod
	default:
		return errFailed
	}
}
