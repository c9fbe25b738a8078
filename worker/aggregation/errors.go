package aggregation

import (
	"errors"
	"net/http"
	"slices"
)

// The provider's codes that are answered in a way of their own (its documentation, Errors).
const (
	codeMutation     = "TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION"
	codeInvalidField = "INVALID_FIELD"
	typeRateLimit    = "RATE_LIMIT_EXCEEDED"
)

// over are the codes after which a token gives nothing until somebody acts: the person logs in again at the provider,
// or the partner sends another token.
var over = []string{
	"ITEM_LOGIN_REQUIRED", "INVALID_CREDENTIALS", "INVALID_MFA", "INVALID_UPDATED_USERNAME", "INSUFFICIENT_CREDENTIALS",
	"ITEM_LOCKED", "USER_SETUP_REQUIRED", "USER_PERMISSION_REVOKED", "ACCESS_NOT_GRANTED", "NO_ACCOUNTS",
	"INVALID_ACCESS_TOKEN", "ITEM_NOT_FOUND", "ITEM_NO_LONGER_AVAILABLE", "ITEM_NOT_SUPPORTED",
	"PRODUCTS_NOT_SUPPORTED",
}

// mistaken are the codes that every token is answered with, since they are about this service's own credentials.
var mistaken = []string{"INVALID_API_KEYS", "MISSING_FIELDS", "UNAUTHORIZED_ENVIRONMENT", "UNAUTHORIZED_ROUTE_ACCESS",
	"PRODUCT_NOT_ENABLED"}

// Stops reports whether trying again helps only after somebody has acted on the token.
func (e *Error) Stops() bool { return slices.Contains(over, e.Code) }

// Everybody reports whether other tokens would be refused for the same reason now.
func (e *Error) Everybody() bool {
	return e.Status == http.StatusTooManyRequests || e.Type == typeRateLimit || slices.Contains(mistaken, e.Code)
}

func isCode(err error, code string) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Code == code
}
