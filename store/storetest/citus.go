package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/google/uuid"
)

// Citus names the variable with the address of a coordinator, for tests on a database that is spread: of any database
// there that has the extension and knows the worker nodes. The account may make databases on each of them.
const Citus = "BIZFIN_TEST_CITUS"

// shards are how many pieces a table has: each node has some, and to make them takes the less time.
const shards = 4

// NewCitus makes an empty database on the nodes of a Citus, which know each other there, too. drop removes it, and ends
// the sessions that use it.
func NewCitus(ctx context.Context, address string) (made string, drop func(context.Context) error, err error) {
	coordinator, err := url.Parse(address)
	if err != nil {
		return "", nil, errors.New(Citus + " is not an address")
	}
	workers, err := workersOf(ctx, coordinator)
	if err != nil {
		return "", nil, err
	}
	name := "bizfin_" + uuid.NewString()[:8]
	drop = func(ctx context.Context) error {
		var failed error
		for _, node := range append(workers, coordinator) {
			failed = errors.Join(failed, says(ctx, node, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`))
		}
		return failed
	}
	for _, node := range append(workers, coordinator) {
		err := says(ctx, node, `CREATE DATABASE `+name)
		if err == nil {
			err = says(ctx, in(node, name), `CREATE EXTENSION citus`)
		}
		if err != nil {
			return "", nil, errors.Join(err, drop(ctx))
		}
	}
	know := []string{
		fmt.Sprintf(`ALTER DATABASE %s SET citus.shard_count = %d`, name, shards),
		fmt.Sprintf(`SELECT citus_set_coordinator_host('%s', %s)`, coordinator.Hostname(), coordinator.Port()),
	}
	for _, node := range workers {
		know = append(know, fmt.Sprintf(`SELECT citus_add_node('%s', %s)`, node.Hostname(), node.Port()))
	}
	if err := says(ctx, in(coordinator, name), know...); err != nil {
		return "", nil, errors.Join(err, drop(ctx))
	}
	return in(coordinator, name).String(), drop, nil
}

// workersOf are the addresses of a coordinator's worker nodes.
func workersOf(ctx context.Context, coordinator *url.URL) (workers []*url.URL, err error) {
	db, err := sql.Open("postgres", coordinator.String())
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `
		SELECT nodename, nodeport::text
		FROM pg_dist_node
		WHERE groupid <> 0 AND noderole = 'primary' AND isactive`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var host, port string
		if err := rows.Scan(&host, &port); err != nil {
			return nil, err
		}
		worker := *coordinator
		worker.Host = net.JoinHostPort(host, port)
		workers = append(workers, &worker)
	}
	return workers, rows.Err()
}

// in is the address of another database of a server.
func in(server *url.URL, database string) *url.URL {
	other := *server
	other.Path = "/" + database
	return &other
}

// says has a server run statements, each by itself.
func says(ctx context.Context, server *url.URL, statements ...string) error {
	db, err := sql.Open("postgres", server.String())
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
