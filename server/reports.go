package server

import (
	"context"
	"errors"

	"bizfin/gen/api"
)

// errNoReports: reports are not built yet; until then they answer as a failure rather than with wrong numbers.
var errNoReports = errors.New("server: reports are not built yet")

// GetCashflowReport answers a failure until reports are built.
func (s *Server) GetCashflowReport(context.Context, api.GetCashflowReportRequestObject) (api.GetCashflowReportResponseObject, error) {
	return nil, errNoReports
}

// GetPnlReport answers a failure until reports are built.
func (s *Server) GetPnlReport(context.Context, api.GetPnlReportRequestObject) (api.GetPnlReportResponseObject, error) {
	return nil, errNoReports
}
