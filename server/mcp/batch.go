package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Bounds of a batch. A message of it costs what it would cost alone.
const (
	MaxBatch       = 10
	maxBatchAnswer = 4 << 20 // bytes; the messages after that are told to come alone
)

// batchless is the first revision without batches.
const batchless = "2025-06-18"

// hasBatches is whether a revision has batches. A client that names none speaks an old one.
func hasBatches(revision string) bool { return revision < batchless }

var (
	errNoMessage = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
		Message: fmt.Sprintf("invalid request: a batch has one to %d JSON-RPC messages", MaxBatch)}
	errBatchFull = &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
		Message: fmt.Sprintf("not done: the answers of this batch exceed %d MiB; send this message alone",
			maxBatchAnswer>>20)}
	errBatchLate = &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
		Message: "not done: the time of this batch is over; send this message alone"}
)

// batch answers the messages of a batch one after the other, so that it takes no more of anything than its messages
// would. Every request of it has an answer, if only that it was not done: its bytes end with the first answer beyond
// them.
func (h *Handler) batch(w http.ResponseWriter, r *http.Request, raw []byte) {
	var messages []json.RawMessage
	if err := json.Unmarshal(raw, &messages); err != nil || len(messages) == 0 || len(messages) > MaxBatch {
		w.Header().Set("Content-Type", contentJSON)
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(failed(nil, errNoMessage))
		return
	}
	var answers [][]byte
	size := 0
	for _, message := range messages {
		if answer := h.one(r, message, size); answer != nil {
			answers = append(answers, answer)
			size += len(answer)
		}
	}
	if answers == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", contentJSON)
	_, _ = w.Write([]byte("["))
	for i, answer := range answers {
		if i > 0 {
			_, _ = w.Write([]byte(","))
		}
		if _, err := w.Write(answer); err != nil {
			return
		}
	}
	_, _ = w.Write([]byte("]"))
}

// one answers a message of a batch whose answers have size bytes so far; nil where it wants none.
func (h *Handler) one(r *http.Request, raw json.RawMessage, size int) []byte {
	shown := peek(raw)
	if len(shown) != 1 || isBatch(raw) {
		return errorAnswer(nil, errNoMessage)
	}
	id := shown[0].ID
	wantsNone := id == nil || shown[0].Method == ""
	switch {
	case r.Context().Err() != nil && wantsNone, size >= maxBatchAnswer && wantsNone:
		return nil
	case r.Context().Err() != nil:
		return errorAnswer(id, errBatchLate)
	case size >= maxBatchAnswer:
		return errorAnswer(id, errBatchFull)
	}
	alone := r.Clone(r.Context())
	alone.Body = io.NopCloser(bytes.NewReader(raw))
	alone.ContentLength = int64(len(raw))
	answer := newRecorder()
	h.message(answer, alone, raw)
	body := bytes.TrimSpace(answer.body.Bytes())
	switch {
	case answer.status == http.StatusAccepted, answer.status == http.StatusTooManyRequests && wantsNone:
		return nil
	case len(body) == 0:
		return errorAnswer(id, errInternal)
	case !isAnswer(body):
		return errorAnswer(id, errNoMessage)
	default:
		return body
	}
}

// isAnswer is whether something is an answer of JSON-RPC, and no error of HTTP.
func isAnswer(body []byte) bool {
	var answer struct {
		Version string `json:"jsonrpc"`
	}
	return json.Unmarshal(body, &answer) == nil && answer.Version == "2.0"
}

// message answers one message, and every message of a batch: what is counted or limited for each belongs here. The
// revisions before 2026-07-28 expect "method not found" for whatever is not declared, with and without parameters; the
// SDK answers some of those with other errors, and one that ran out of time with nothing.
func (h *Handler) message(w http.ResponseWriter, r *http.Request, raw []byte) {
	if refusal := h.config.Refuse(r.Context()); refusal != nil {
		refusal.Answer(w, raw)
		return
	}
	if wrong := wrongWith(raw); wrong != "" {
		answerWrong(w, wrong)
		return
	}
	messages := peek(raw)
	if len(messages) == 1 && !isBatch(raw) && messages[0].strangeID() {
		answerError(w, nil, errStrangeID)
		return
	}
	if len(messages) == 1 && !isBatch(raw) && messages[0].unknownNotification() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if r.Header.Get("Mcp-Protocol-Version") < statelessVersion && len(messages) == 1 &&
		messages[0].unknownCall() && !isBatch(raw) {
		answerError(w, messages[0].ID, errUndeclared)
		return
	}
	if len(messages) == 1 && strangeParameters(messages[0].Method, raw) {
		if r.Header.Get("Mcp-Protocol-Version") >= statelessVersion {
			w.Header().Set("Content-Type", contentJSON)
			w.WriteHeader(http.StatusBadRequest)
		}
		answerError(w, messages[0].ID, errParameters(messages[0].Method))
		return
	}
	answer := &plainErrors{ResponseWriter: w}
	h.streamable.ServeHTTP(answer, r)
	if !answer.written && r.Context().Err() != nil && len(messages) == 1 {
		answerError(w, messages[0].ID, errInternal)
	}
}

// failing gives back the error of a body that could not be read to its end.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
