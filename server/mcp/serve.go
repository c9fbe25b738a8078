package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// New makes a handler.
func New(c Config) *Handler {
	h := &Handler{config: c}
	server := sdk.NewServer(&sdk.Implementation{Name: "bizfin", Title: "bizfin", Version: c.Version},
		&sdk.ServerOptions{
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
			SetCacheable: func(_ context.Context, _ sdk.Request, cacheable *sdk.Cacheable) {
				cacheable.CacheScope, cacheable.TTLMs = "private", cacheTime
			},
			PageSize: len(c.Tools) + 1,
		})
	for _, tool := range c.Tools {
		server.AddTool(declare(tool), func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return h.call(ctx, tool, r)
		})
	}
	server.AddReceivingMiddleware(refuseUndeclared, h.instruct, listPlainly)
	h.streamable = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{
			Stateless:                    true,
			JSONResponse:                 true,
			MaxRequestBodyBytes:          c.MaxBody,
			PropagateRequestCancellation: true,
			// Whoever mounts the handler checks Host and Origin, and knows the names of this service.
			DisableLocalhostProtection: true,
		})
	return h
}

// ServeHTTP answers one message, or a batch of the revisions that have them.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err == nil && isBatch(raw) && hasBatches(r.Header.Get("Mcp-Protocol-Version")) {
		h.batch(w, r, raw)
		return
	}
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(raw), failing{err}))
	h.message(w, r, raw)
}
