package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"bizfin/internal/money"
	"bizfin/server/limit"
	"bizfin/server/validate"
	"bizfin/store"
)

const headerSignature = "X-Service-Signature"

// Which of the two is said is part of the contract (Events, 401).
var (
	errMissingSignature = &failure{status: http.StatusUnauthorized, message: "missing_signature"}
	errInvalidSignature = &failure{status: http.StatusUnauthorized, message: "invalid_signature"}
)

// serveWebhook routes the legacy account snapshots, which stand outside the base path. The signature is over the raw
// bytes and says all about them, so the media type is not asked for.
func (s *Server) serveWebhook(e *echo.Echo) error {
	judge, ok := s.validator.Route(http.MethodPost, "/webhooks/{partner_id}/accounts")
	if !ok {
		return errors.New("server: the document has no webhook")
	}
	op := &operation{Server: s, id: "receiveAccountSnapshot", judge: judge}
	e.POST(webhookRoute, op.receiveSnapshot, op.knowSigner, op.readBody, op.verifySignature,
		op.holdSigner, op.takeSignersTurn, op.awaitTurn)
	return nil
}

// signer is whoever a request claims to come from.
type signer struct {
	partner   string
	secrets   [][]byte
	signature []byte
}

type signerKey struct{}

// knowSigner refuses a request without a well-formed signature or of a partner that there is not, before its body is
// read.
func (op *operation) knowSigner(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		signature, err := signatureOf(r)
		if err != nil {
			return err
		}
		params, err := pathParams(c)
		if err != nil {
			return err
		}
		secrets, err := op.partnerSecrets(r.Context(), params["partner_id"], store.PurposeWebhook)
		if errors.Is(err, store.ErrInvalidCredential) {
			return errInvalidSignature
		}
		if err != nil {
			return err
		}
		claimed := signer{partner: params["partner_id"], secrets: secrets, signature: signature}
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), signerKey{}, claimed)))
		return next(c)
	}
}

// verifySignature finds out whether the partner signed these bytes. From then on it answers for them.
func (op *operation) verifySignature(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		claimed, raw := ctx.Value(signerKey{}).(signer), ctx.Value(bodyKey{}).([]byte)
		if !signedByAny(claimed.secrets, raw, claimed.signature) {
			return errInvalidSignature
		}
		ctx = context.WithValue(ctx, credentialKey{}, credential{webhook: claimed.partner})
		held := ctx.Value(holdingKey{}).(*holding)
		release, err := op.heldByCredential.tryAcquire(holderOf(ctx).credential, held.arrival.held)
		if err != nil {
			return err
		}
		held.shares = append(held.shares, release)
		if !held.arrival.moveTo(op.callers) {
			return errBusy
		}
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

// holdSigner counts a snapshot for the partner that signed it, which is not known before the body is.
func (op *operation) holdSigner(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		partner := credentialOf(c.Request().Context()).webhook
		subject := limit.Subject{Kind: limit.Partner, ID: partner, Rule: op.rules.find(partner).Partner}
		return op.count(c, []limit.Subject{subject}, next)
	}
}

// takeSignersTurn lets a snapshot wait with all else of its partner.
func (op *operation) takeSignersTurn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		leave, err := op.atWorkOfPartner.take(ctx, credentialOf(ctx).webhook)
		if err != nil {
			return err
		}
		defer leave()
		return next(c)
	}
}

// signatureOf reads the one signature of a request: a SHA-256 in hexadecimal digits of either case.
func signatureOf(r *http.Request) ([]byte, error) {
	values := r.Header.Values(headerSignature)
	if len(values) == 0 {
		return nil, errMissingSignature
	}
	signature, err := hex.DecodeString(values[0])
	if len(values) > 1 || err != nil || len(signature) != sha256.Size {
		return nil, errInvalidSignature
	}
	return signature, nil
}

// receiveSnapshot stores a snapshot for the worker. Nothing of the body is looked at before its signature is verified.
func (op *operation) receiveSnapshot(c echo.Context) error {
	ctx := c.Request().Context()
	partner, raw := credentialOf(ctx).webhook, ctx.Value(bodyKey{}).([]byte)
	text, problems, err := op.judge.Body(raw)
	if errors.Is(err, validate.ErrMalformed) {
		return malformedSnapshot()
	}
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return invalidSnapshot(problems)
	}
	var body snapshotBody
	if err := validate.Bind(text, &body); err != nil {
		return err
	}
	if problems := body.tooLong(); len(problems) > 0 {
		return invalidSnapshot(problems)
	}
	ctx = by(c, credentialOf(ctx), uuid.Nil)
	if err := op.Store.AcceptSnapshot(ctx, op.Now(), op.Keys, body.snapshot(partner)); err != nil {
		return err
	}
	op.metrics.received(kindSnapshots, len(body.Payload.Accounts))
	return c.JSON(http.StatusOK, map[string]bool{"received": true})
}

// signedByAny compares in constant time, with every secret.
func signedByAny(secrets [][]byte, raw, signature []byte) bool {
	valid := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write(raw)
		if hmac.Equal(mac.Sum(nil), signature) {
			valid = true
		}
	}
	return valid
}

// A body that its sender signed and that is wrong all the same is answered as a failure (contract, Events, 5xx).
func malformedSnapshot() *failure {
	return &failure{status: http.StatusInternalServerError, message: errMalformedJSON.message}
}

func invalidSnapshot(problems []validate.Problem) *failure {
	f := unprocessable(problems...)
	f.status = http.StatusInternalServerError
	return f
}

// snapshotBody is what is used of an AccountSnapshot; the tier and the business have no effect.
type snapshotBody struct {
	Subject string `json:"sub"`
	Payload struct {
		Accounts []snapshotAccount `json:"accounts"`
	} `json:"payload"`
}

type snapshotAccount struct {
	ID             string          `json:"id"`
	Name           string          `json:"name"`
	Currency       string          `json:"currency"`
	Number         string          `json:"number"`
	Type           string          `json:"type"`
	PlaidToken     string          `json:"plaid_token"`
	CurrentBalance *roundedBalance `json:"current_balance"`
	Status         string          `json:"status"`
}

// roundedBalance reads a number with any decimals, half to even.
type roundedBalance money.Amount

// UnmarshalJSON reads a JSON number. It fails with the errors of [money.ParseRounded].
func (b *roundedBalance) UnmarshalJSON(literal []byte) error {
	amount, err := money.ParseRounded(string(literal))
	*b = roundedBalance(amount)
	return err
}

// The contract gives these no length. A person with a longer id cannot exist (a token's sub ends there), and a longer
// account id would not fit into an index: what is accepted must be applicable.
const (
	maxSubject   = 255
	maxAccountID = 512
)

// tooLong finds ids that cannot be stored.
func (b snapshotBody) tooLong() []validate.Problem {
	var problems []validate.Problem
	check := func(path, text string, most int) {
		if utf8.RuneCountInString(text) > most && len(problems) <= validate.MaxProblems {
			problems = append(problems, validate.Problem{In: validate.InBody, Path: path, Code: validate.CodeMaxLength,
				Message: fmt.Sprintf("must have at most %d characters (Unicode code points)", most)})
		}
	}
	check("/sub", b.Subject, maxSubject)
	for i, a := range b.Payload.Accounts {
		check(fmt.Sprintf("/payload/accounts/%d/id", i), a.ID, maxAccountID)
	}
	return problems
}

func (b snapshotBody) snapshot(partnerID string) store.Snapshot {
	s := store.Snapshot{PartnerID: partnerID, Subject: b.Subject, Accounts: make([]store.SnapshotAccount,
		len(b.Payload.Accounts))}
	for i, a := range b.Payload.Accounts {
		s.Accounts[i] = store.SnapshotAccount{
			ExternalID: a.ID, Name: a.Name, Type: a.Type, Mask: lastFour(a.Number), Currency: a.Currency,
			Balance: (*money.Amount)(a.CurrentBalance), Status: a.Status, Token: a.PlaidToken,
		}
	}
	return s
}

// lastFour is all that is kept of an account number.
func lastFour(number string) string {
	characters := []rune(number)
	return string(characters[max(0, len(characters)-4):])
}
