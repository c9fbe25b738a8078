package store

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// The kinds of actors.
const (
	ActorPartner = "partner" // its backend, by a token of its own or a signed webhook
	ActorPerson  = "person"  // by the JWT of an issuer that is linked to them
	ActorToken   = "token"   // an opaque token of a person
	ActorCommand = "command" // an operator at the command line
	ActorService = "service" // the program by itself
)

// The acts that are recorded.
const (
	ActConnect       = "connect"
	ActRevoke        = "revoke"
	ActLogin         = "login" // of the older embedded flow
	ActUpload        = "upload"
	ActDelete        = "delete"
	ActAnswer        = "answer"
	ActCorrect       = "correct"
	ActSnapshot      = "snapshot"
	ActRetrySnapshot = "retry snapshot"
	ActDropSnapshot  = "drop snapshot"
	ActCreatePartner = "create partner"
	ActDisable       = "disable partner"
	ActSecret        = "add secret"
	ActRetireSecret  = "retire secret"
	ActReseal        = "reseal"
	ActLimit         = "limit partner"
	ActMint          = "mint token"
	ActRevokeToken   = "revoke token"
	ActLink          = "link identity"
	ActUnlink        = "unlink identity"
	ActLinkCustomer  = "link customer" // of the payment processor
	ActEndCustomer   = "unlink customer"
	ActDemo          = "set demo"
	ActSignIn        = "sign in" // of a person, for a program that asks for access
	ActGrant         = "grant"
	ActExchange      = "exchange"
	ActEndGrant      = "end grant"
	ActReuse         = "reuse" // of a code or refresh token, which ends its grant
	ActSignInAddress = "set sign-in address"
	ActExport        = "export"
	ActErase         = "erase"
)

// Actor is who acts, and by which request. The zero one is the service itself.
type Actor struct {
	Kind      string
	PartnerID string
	PersonID  uuid.UUID // zero where nobody in particular, or not known yet
	TokenID   string
	RequestID string
}

type actorKey struct{}

// By says who acts by all that is done with the context.
func By(ctx context.Context, a Actor) context.Context { return context.WithValue(ctx, actorKey{}, a) }

func actorOf(ctx context.Context) Actor {
	a, ok := ctx.Value(actorKey{}).(Actor)
	if !ok {
		a.Kind = ActorService
	}
	return a
}

// quantities is how much of what an act changed.
type quantities map[string]int64

// act is one entry of the record, which has nothing of what was changed.
type act struct {
	action       string
	organization uuid.UUID // zero for none
	objectType   string
	objectID     string
	partner      string    // where it is not the actor's own
	person       uuid.UUID // likewise
	counts       quantities
}

// insertAct is the statement whose first argument stands at a place.
func insertAct(first int) string {
	at := func(i int) string { return "$" + strconv.Itoa(first+i) }
	return `
	INSERT INTO audit (at, action, actor, partner_id, person_id, token_id, organization_id, object_type, object_id,
	  request_id, counts)
	VALUES (` + at(0) + `::timestamptz, ` + at(1) + `, ` + at(2) + `, nullif(` + at(3) + `, ''),
	  nullif(` + at(4) + `, '00000000-0000-0000-0000-000000000000'::uuid), nullif(` + at(5) + `, ''),
	  nullif(` + at(6) + `, '00000000-0000-0000-0000-000000000000'::uuid), nullif(` + at(7) + `, ''),
	  nullif(` + at(8) + `, ''), nullif(` + at(9) + `, ''), ` + at(10) + `::text::jsonb)`
}

// record writes an act into the transaction that does it.
func (d *DB) record(ctx context.Context, tx *sqlx.Tx, now time.Time, a act) error {
	arguments, err := a.arguments(ctx, now)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, insertAct(1), arguments...)
	return err
}

func (a act) arguments(ctx context.Context, now time.Time) ([]any, error) {
	by := actorOf(ctx)
	if a.partner != "" {
		by.PartnerID = a.partner
	}
	if a.person != uuid.Nil {
		by.PersonID = a.person
	}
	if a.counts == nil {
		a.counts = quantities{}
	}
	numbers, err := json.Marshal(a.counts)
	return []any{now, a.action, by.Kind, by.PartnerID, by.PersonID, by.TokenID, a.organization, a.objectType,
		a.objectID, by.RequestID, string(numbers)}, err
}

// Entry is an act as the record has it.
type Entry struct {
	At             time.Time       `db:"at" json:"at"`
	Action         string          `db:"action" json:"action"`
	Actor          string          `db:"actor" json:"actor"`
	PartnerID      *string         `db:"partner_id" json:"partner_id"`
	PersonID       *uuid.UUID      `db:"person_id" json:"user_id"`
	TokenID        *string         `db:"token_id" json:"token_id"`
	OrganizationID *uuid.UUID      `db:"organization_id" json:"organization_id"`
	ObjectType     *string         `db:"object_type" json:"object_type"`
	ObjectID       *string         `db:"object_id" json:"object_id"`
	RequestID      *string         `db:"request_id" json:"request_id"`
	Counts         json.RawMessage `db:"counts" json:"counts"`
}

// AuditFilter narrows what is read of the record; what is zero does not.
type AuditFilter struct {
	OrganizationID uuid.UUID
	PartnerID      string
	PersonID       uuid.UUID
	Action         string
	Since          time.Time
	Limit          int
}

// Audit reads the record, the oldest first: of the entries that fit, the newest Limit.
func (d *DB) Audit(ctx context.Context, f AuditFilter, each func(Entry) error) error {
	rows, err := d.db.QueryxContext(ctx, `
		SELECT at, action, actor, partner_id, person_id, token_id, organization_id, object_type, object_id,
		       request_id, counts
		FROM (
		  SELECT id, at, action, actor, partner_id, person_id, token_id, organization_id, object_type, object_id,
		         request_id, counts
		  FROM audit
		  WHERE ($1 = '00000000-0000-0000-0000-000000000000'::uuid OR organization_id = $1)
		    AND ($2 = '' OR partner_id = $2)
		    AND ($3 = '00000000-0000-0000-0000-000000000000'::uuid OR person_id = $3)
		    AND ($4 = '' OR action = $4)
		    AND at >= $5
		  ORDER BY at DESC, id DESC
		  LIMIT $6) newest
		ORDER BY at, id`,
		f.OrganizationID, f.PartnerID, f.PersonID, f.Action, f.Since, f.Limit)
	if err != nil {
		return translate(ctx, err)
	}
	defer rows.Close()
	for rows.Next() {
		var e Entry
		if err := rows.StructScan(&e); err != nil {
			return err
		}
		if err := each(e); err != nil {
			return err
		}
	}
	return translate(ctx, rows.Err())
}
