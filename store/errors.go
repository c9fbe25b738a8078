package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// The outcomes a caller can act on. Anything else a method returns is a failure of the service.
var (
	// ErrNotFound: there is no such row in this business. Another business's row is not found either.
	ErrNotFound = errors.New("store: not found")
	// ErrNoAccess: the person is unknown or has no current membership of the business.
	ErrNoAccess = errors.New("store: no access")
	// ErrInvalidCredential: no valid partner, secret or token stands behind the credential.
	ErrInvalidCredential = errors.New("store: invalid credential")
	// ErrSourceUnavailable: the source is unknown, revoked or takes no uploads.
	ErrSourceUnavailable = errors.New("store: source unavailable")
	// ErrPartnerExists: the partner id is taken.
	ErrPartnerExists = errors.New("store: partner exists")
	// ErrCursor: the cursor is not one of ours or belongs to other filters.
	ErrCursor = errors.New("store: cursor does not belong to these filters")
	// ErrSearchTime: the search took longer than SearchTime.
	ErrSearchTime = errors.New("store: the search took too long")
	// ErrBusy: somebody else held what was to be locked for too long. Nothing was stored, and it can be tried again.
	ErrBusy = errors.New("store: busy")
	// ErrAway: the server that has the rows of the business is out of reach, and the others go on. Nothing was stored.
	ErrAway = errors.New("store: the rows of the business are out of reach")
	// ErrSlow: a statement took longer than one may, or somebody ended it. Nothing of it was stored, and it can be
	// tried again.
	ErrSlow = errors.New("store: a statement took too long")
	// ErrIdentityLinked: the issuer's subject is linked to another person.
	ErrIdentityLinked = errors.New("store: identity is linked to another person")
	// ErrTooManySecrets: the partner has two valid secrets of the purpose already.
	ErrTooManySecrets = errors.New("store: two secrets are valid already")
)

// errStale: rows or answers changed between reading and writing; what follows from them is to be worked out anew.
var errStale = errors.New("store: rows changed while they were decided")

// errSilent ends visits. Of what was under way nobody knows whether it was stored.
var errSilent = errors.New("store: the node of the business stopped to answer")

// MovedError: an uploaded transaction exists in another account of the source.
type MovedError struct {
	ExternalIDs []string // sorted, at least one
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("store: %d transactions belong to another account", len(e.ExternalIDs))
}

// untouchedError is one of a connection, at which nothing was stored: of a statement that only reads, or in a
// transaction, before its commit. Of any other nobody knows.
type untouchedError struct{ cause error }

func (e *untouchedError) Error() string { return e.cause.Error() }
func (e *untouchedError) Unwrap() error { return e.cause }

// nothingStored says of an error by which a server did not reach another one, or got no answer from it, that nothing
// was stored.
func nothingStored(ctx context.Context, err error) error {
	var failed *pq.Error
	var known *untouchedError
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(context.Cause(ctx), errSilent):
		return &untouchedError{errSilent}
	case errors.As(err, &failed) && (isUnreached(failed) || isPassedOn(failed)):
		return &untouchedError{err}
	default:
		return err
	}
}

// isUnreached reports whether a server says that it did not reach another one, or got no answer.
func isUnreached(failed *pq.Error) bool {
	return failed.Code.Class() == "08" && failed.Code != protocolViolation
}

// isPassedOn reports whether a Citus says that a node is being stopped or started: its coordinator passes on what the
// node said, with the node's SQLSTATE and by a function of its own (remote_commands.c of Citus 13.2). A coordinator
// that is being stopped says so by another.
func isPassedOn(failed *pq.Error) bool {
	return strings.HasPrefix(string(failed.Code), shutdown) && failed.Routine == "ReportResultError"
}

// byConstraint gives the constraints that can be broken from outside their meaning.
var byConstraint = map[string]error{
	"partners_pkey":                       ErrPartnerExists,
	"partner_secrets_partner_fkey":        ErrNotFound,
	"oauth_tokens_person_fkey":            ErrNotFound,
	"oauth_identities_person_fkey":        ErrNotFound,
	"identities_partner_fkey":             ErrInvalidCredential,
	"transactions_counterparty_fkey":      ErrNotFound,
	"outstanding_issues_answered_by_fkey": ErrNotFound,
	"answers_answered_by_fkey":            ErrNotFound,
}

// translate turns what the driver says into the outcomes above. A statement that was canceled because the caller's
// time ran out is the caller's error, whatever the driver calls it.
func translate(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	silent := errors.Is(context.Cause(ctx), errSilent)
	if ctx.Err() != nil && !silent {
		return ctx.Err()
	}
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	if hasState(err, lockNotAvailable) || givenUp(err) {
		return ErrBusy
	}
	if canceled(err) {
		return fmt.Errorf("%w: %w", ErrSlow, err)
	}
	if isAway(err) {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	if silent {
		return errSilent
	}
	var broken *pq.Error
	if errors.As(err, &broken) {
		if meaning, ok := byConstraint[constraintOf(broken)]; ok {
			return meaning
		}
	}
	return err
}

// SQLSTATEs of PostgreSQL, appendix A of its manual.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	queryCanceled        = "57014"
	invalidPattern       = "2201B"
	lockNotAvailable     = "55P03"
	foreignKeyViolation  = "23503"
	undefinedTable       = "42P01"
	protocolViolation    = "08P01"
	internalError        = "XX000"
	featureNotSupported  = "0A000"
	shutdown             = "57P" // some of class 57: the others tell of the statement
)

// givenUp reports whether the statement or transaction is to be tried again: another one was in its way, and nothing
// was stored.
func givenUp(err error) bool {
	return hasState(err, serializationFailure) || hasState(err, deadlockDetected) || isReplaced(err)
}

// ofSeveralPieces are the files of Citus 13.2 that refuse a statement which is about several pieces.
var ofSeveralPieces = []string{"distributed_planner.c", "multi_join_order.c", "multi_logical_planner.c",
	"query_pushdown_planning.c"}

// isReplaced reports whether a Citus put other pieces in the place of those that a statement was planned for, as it
// does where a business gets pieces of its own. It has no SQLSTATE for that, but says what of it failed: a function
// that looks a piece up (metadata_cache.c), or the planning of statements about several pieces, which one about one
// business is only while it finds some tables as they were and some as they are.
func isReplaced(err error) bool {
	var failed *pq.Error
	if !errors.As(err, &failed) {
		return false
	}
	return failed.Code == internalError && strings.HasPrefix(failed.Routine, "LookupShard") ||
		failed.Code == featureNotSupported && slices.Contains(ofSeveralPieces, failed.File)
}

// canceled reports whether a statement ran out of time. One that does while it compiles a pattern may say that the
// pattern is invalid ("operation cancelled"); those that are sent are valid.
func canceled(err error) bool { return hasState(err, queryCanceled) || hasState(err, invalidPattern) }

func hasState(err error, state pqerror.Code) bool {
	var failed *pq.Error
	return errors.As(err, &failed) && failed.Code == state
}

// isOutage reports whether err says that the database or the way to it fails, and nothing of what it was asked.
func isOutage(err error) bool {
	var failed *pq.Error
	if !errors.As(err, &failed) {
		var network net.Error
		return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
			errors.Is(err, driver.ErrBadConn)
	}
	switch failed.Code.Class() {
	case "08", "53", "58": // connection, resources such as the disk, system
		return true
	default:
		return strings.HasPrefix(string(failed.Code), shutdown)
	}
}

// isAway reports whether err says that a server which answers did not reach another one, where the rows are, and that
// nothing was stored: the coordinator of a Citus does.
func isAway(err error) bool {
	var untouched *untouchedError
	return errors.As(err, &untouched)
}

// breaks reports whether err is a broken constraint of that name.
func breaks(err error, constraint string) bool {
	var broken *pq.Error
	return errors.As(err, &broken) && constraintOf(broken) == constraint
}

// constraintOf is the name of a broken constraint, or empty. Citus says that of the piece of a table, in the message
// alone.
func constraintOf(err *pq.Error) string {
	name := err.Constraint
	if name == "" {
		if found := constraintInMessage.FindStringSubmatch(err.Message); found != nil {
			name = found[1]
		}
	}
	return shardSuffix.ReplaceAllString(name, "")
}

// unlockedError: a transaction found out that it needs locks which it cannot take any more in their order. Whoever
// calls inTxFirst is run again with these first; to anybody else what it read is stale.
type unlockedError struct {
	shares         bool // the business
	accounts, rows []uuid.UUID
}

func (e *unlockedError) Error() string {
	return fmt.Sprintf("store: %d accounts and %d rows were to be locked first", len(e.accounts), len(e.rows))
}

// Is makes it an errStale.
func (e *unlockedError) Is(other error) bool { return other == errStale }

var (
	constraintInMessage = regexp.MustCompile(`constraint "([^"]+)"`)
	shardSuffix         = regexp.MustCompile(`_\d{6,}$`)
)
