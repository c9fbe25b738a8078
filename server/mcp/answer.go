package mcp

import (
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"bizfin/gen/api"
)

var (
	errStrangeID = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
		Message: "invalid request: an id is a string, or an integer of at most 2^53 - 1"}
	errUndeclared = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
	errInternal   = &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
		Message: "the request failed; retry it with backoff"}
)

func answerError(w http.ResponseWriter, id json.RawMessage, err *jsonrpc.Error) {
	w.Header().Set("Content-Type", contentJSON)
	_ = json.NewEncoder(w).Encode(failed(id, err))
}

// answerWrong refuses what is no message as all else that is no request is refused.
func answerWrong(w http.ResponseWriter, wrong string) {
	w.Header().Set("Content-Type", contentJSON)
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(api.ErrorBody{Error: wrong})
}

func errorAnswer(id json.RawMessage, err *jsonrpc.Error) []byte {
	raw, _ := json.Marshal(failed(id, err)) // of strings and an id that was JSON
	return raw
}

// failed is the answer to a request that has none of its own. Where nobody knows the request's id it has none: MCP
// knows no id that is null.
func failed(id json.RawMessage, err *jsonrpc.Error) map[string]any {
	answer := map[string]any{"jsonrpc": "2.0", "error": err}
	if id != nil {
		answer["id"] = id
	}
	return answer
}

// knowsStructure is whether a client knows structured results: it names no revision, or one that has them.
func knowsStructure(header http.Header) bool {
	revision := header.Get("Mcp-Protocol-Version")
	return revision == "" || revision >= structuredSince
}

// structuredSince is the first revision with output schemas and structured results.
const structuredSince = "2025-06-18"
