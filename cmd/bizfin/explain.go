package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/lib/pq"
)

// failure is a cause that an operator can do something about, in words: what is wrong and what to do next.
type failure struct {
	message string
	advice  string
}

func (f *failure) Error() string {
	return f.message + "\n  → " + f.advice
}

// SQLSTATEs of PostgreSQL, appendix A of its manual.
const (
	invalidAuthorization = "28000"
	invalidPassword      = "28P01"
	noSuchDatabase       = "3D000"
	noSuchTable          = "42P01"
	noSuchColumn         = "42703"
	noPermission         = "42501"
	tooManyConnections   = "53300"
	cannotConnectNow     = "57P03"
)

// explained turns what PostgreSQL and the network say into what an operator can do. The database is all that commands
// connect to, but for the demo, which has its own words. Other errors are for others to explain.
func explained(err error) (f *failure, ok bool) {
	if err == nil {
		return nil, false
	}
	f = explainPostgres(err)
	if f == nil {
		f = explainNetwork(err)
	}
	return f, f != nil
}

func explainNetwork(err error) *failure {
	var unknown *net.DNSError
	if errors.As(err, &unknown) {
		return &failure{fmt.Sprintf("there is no host %q", unknown.Name), "correct BIZFIN_DATABASE_URL"}
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		where := "its address"
		if dial.Addr != nil {
			where = dial.Addr.String()
		}
		return &failure{fmt.Sprintf("the database does not answer at %s", where),
			"start it, or correct BIZFIN_DATABASE_URL; in this folder \"make run\" starts one"}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return &failure{"the database does not answer in time", "see whether it is overloaded, or behind a firewall"}
	}
	return nil
}

func explainPostgres(err error) *failure {
	var refused *pq.Error
	if !errors.As(err, &refused) {
		return nil
	}
	switch refused.Code {
	case invalidAuthorization, invalidPassword:
		return &failure{"the database refuses the user or the password", "correct them in BIZFIN_DATABASE_URL"}
	case noSuchDatabase:
		return &failure{"there is no such database on the server",
			"make it with createdb -T template0 -E UTF8 NAME, or correct the name in BIZFIN_DATABASE_URL"}
	case noSuchTable, noSuchColumn:
		return &failure{"the database has no schema yet, or an older one", "bizfin migrate up"}
	case noPermission:
		return &failure{"the database user may not do that", "use the user who owns the tables, or grant it"}
	case tooManyConnections, cannotConnectNow:
		return &failure{"the database takes no more connections now",
			"wait a moment; \"bizfin doctor\" compares its limit with BIZFIN_DATABASE_CONNECTIONS"}
	default:
		return &failure{"the database says: " + refused.Message + " (SQLSTATE " + string(refused.Code) + ")",
			"\"bizfin doctor\" looks for the cause"}
	}
}
