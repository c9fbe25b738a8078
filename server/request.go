package server

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"
)

func requestIDOf(c echo.Context) string {
	return c.Response().Header().Get(echo.HeaderXRequestID)
}

type clientKey struct{}

// clientOf is the context that ends when the client goes away, and at no other time.
func clientOf(ctx context.Context) context.Context {
	return ctx.Value(clientKey{}).(context.Context)
}

type bodyKey struct{}

// hasUnreadBody is whether a request came with a body that was not read to its end.
func hasUnreadBody(r *http.Request) bool {
	_, read := r.Context().Value(bodyKey{}).([]byte)
	return r.ContentLength != 0 && !read
}

// pathParams are the segments of the route's parameters, decoded.
func pathParams(c echo.Context) (map[string]string, error) {
	params := make(map[string]string, len(c.ParamNames()))
	for i, name := range c.ParamNames() {
		value := c.ParamValues()[i]
		if c.Request().URL.RawPath != "" {
			decoded, err := url.PathUnescape(value)
			if err != nil {
				return nil, errMalformedPath
			}
			value = decoded
		}
		params[name] = value
	}
	return params, nil
}
