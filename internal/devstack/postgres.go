package devstack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// leftoverPatience is how long the remains of a killed server may stand in the way: its children end within
	// a second or two, and until its parent has collected it, its process id still looks alive.
	leftoverPatience = 30 * time.Second
	stopPatience     = 60 * time.Second
	startPatience    = 5 * time.Minute // crash recovery may have much to replay
)

// startPostgres starts a durable server on loopback with a password, the form of URL that every client
// understands, or an ephemeral one on a Unix socket in a folder that only its user may enter.
func (r *run) startPostgres(ctx context.Context) (*server, error) {
	data := r.in("postgres")
	major, err := dataMajor(data)
	if err != nil {
		return nil, err
	}
	if err := r.stopLeftPostgres(); err != nil {
		return nil, err
	}
	programs, err := r.findPostgres(ctx, major)
	if err != nil {
		return nil, err
	}
	if r.config.Ephemeral {
		err = errors.Join(r.makeSocketFolder(), r.copyTemplate(ctx, programs, data))
	} else {
		err = r.makeDurableData(ctx, programs, data)
	}
	if err != nil {
		return nil, err
	}
	if err := programs.linkZones(data); err != nil {
		return nil, err
	}
	r.config.tell(postgresName, "starting "+programs.version)
	p, err := r.launchPostgres(ctx, programs, data)
	if err != nil {
		return nil, err
	}
	// SIGINT is the fast shutdown: sessions are ended, everything is written. Data that is thrown away needs
	// only SIGQUIT, the immediate one.
	stop := syscall.SIGINT
	if r.config.Ephemeral {
		stop = syscall.SIGQUIT
	}
	return &server{
		url:    r.databaseURL(),
		kind:   fmt.Sprintf("PostgreSQL %s (%s)", programs.version, programs.bin),
		folder: programs.bin,
		libs:   programs.libs,
		stop:   func() error { return p.stop(stop, stopPatience) },
	}, nil
}

func (r *run) databaseURL() string {
	u := url.URL{Scheme: "postgres", User: url.User(databaseName), Path: "/" + databaseName}
	query := url.Values{"sslmode": {"disable"}}
	if r.config.Ephemeral {
		query.Set("host", r.state.SocketFolder)
		query.Set("port", "5432")
	} else {
		u.User = url.UserPassword(databaseName, r.state.PostgresPassword)
		u.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(r.state.PostgresPort))
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// makeSocketFolder makes a folder with a short name, because a socket's path may have at most 107 bytes, or 103
// on macOS.
func (r *run) makeSocketFolder() error {
	path, err := os.MkdirTemp("/tmp", "bizfin-")
	if err != nil {
		return err
	}
	r.state.SocketFolder = path
	return errors.Join(r.account.own(path), r.saveState())
}

// launchPostgres starts the server and waits until it accepts connections. It tries again while the remains of a
// killed server hold the data, and on another port when the chosen one was taken meanwhile.
func (r *run) launchPostgres(ctx context.Context, programs *postgresPrograms, data string) (*process, error) {
	deadline := time.Now().Add(leftoverPatience)
	for {
		if !r.config.Ephemeral {
			port, err := choosePort(r.state.PostgresPort)
			if err != nil {
				return nil, err
			}
			r.state.PostgresPort = port
			if err := r.saveState(); err != nil {
				return nil, err
			}
		}
		p, err := command{account: r.account, dir: data, libs: programs.libs,
			program: filepath.Join(programs.bin, "postgres"), args: r.postgresArgs(data),
			onDeath: r.deathSignal(syscall.SIGINT)}.start("PostgreSQL", r.in("postgres.log"))
		if err != nil {
			return nil, err
		}
		err = waitPostgres(ctx, p, data)
		if err == nil {
			return p, nil
		}
		if !p.ended() {
			return nil, errors.Join(err, p.stop(syscall.SIGQUIT, stopPatience))
		}
		// A server that ends by itself removes its pid file; one that is still there belongs to another.
		inTheWay := exists(filepath.Join(data, "postmaster.pid"))
		portTaken := !r.config.Ephemeral && !portFree(r.state.PostgresPort)
		if time.Now().After(deadline) || !inTheWay && !portTaken {
			return nil, fmt.Errorf("PostgreSQL did not start: %w", p.failure())
		}
		r.log.Info("PostgreSQL could not start yet: trying again", "leftover", inTheWay, "port_taken", portTaken)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (r *run) postgresArgs(data string) []string {
	settings := []string{
		"timezone=UTC", "log_timezone=UTC", "max_connections=200", "jit=off", "logging_collector=off",
		"log_destination=stderr",
	}
	if r.config.Ephemeral {
		settings = append(settings, "listen_addresses=", "unix_socket_directories="+r.state.SocketFolder, "port=5432",
			"fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=128MB", "max_wal_size=1GB")
	} else {
		settings = append(settings, "listen_addresses=127.0.0.1", "unix_socket_directories=",
			"port="+strconv.Itoa(r.state.PostgresPort),
			"fsync=on", "synchronous_commit=on", "full_page_writes=on", "shared_buffers=256MB")
	}
	args := []string{"-D", data}
	for _, setting := range append(settings, r.config.PostgresSettings...) {
		args = append(args, "-c", setting)
	}
	return args
}

// pidFile is PostgreSQL's own note of who serves the data folder. It is only ever read: removing it while a
// server is alive would let two of them write the same data.
type pidFile struct {
	pid   int
	ready bool // accepts connections
}

func readPidFile(data string) (pidFile, error) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return pidFile{}, err
	}
	// Line 1 is the process id; line 8 the status, padded with spaces.
	lines := strings.Split(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil {
		return pidFile{}, fmt.Errorf("postmaster.pid: %w", err)
	}
	return pidFile{pid, len(lines) > 7 && strings.TrimSpace(lines[7]) == "ready"}, nil
}

// waitPostgres returns when p accepts connections, or has ended.
func waitPostgres(ctx context.Context, p *process, data string) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	return until(ctx, 10*time.Millisecond, func() (bool, error) {
		if p.ended() {
			return false, p.failure()
		}
		f, err := readPidFile(data)
		return err == nil && f.pid == p.pid && f.ready, nil // the file may be missing or half written yet
	})
}

// stopLeftPostgres shuts down a server that a killed run left on the run's data.
func (r *run) stopLeftPostgres() error {
	data := r.in("postgres")
	f, err := readPidFile(data)
	if err != nil || !serves(f.pid, data) {
		return nil // nobody, or not ours: PostgreSQL itself judges the pid file when it starts
	}
	r.log.Info("stopping the PostgreSQL that a killed run left", "pid", f.pid)
	if err := syscall.Kill(f.pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	err = until(ctx, 10*time.Millisecond, func() (bool, error) { return !serves(f.pid, data), nil })
	if err != nil {
		return fmt.Errorf("PostgreSQL of a killed run (process %d) does not stop: %w", f.pid, err)
	}
	return nil
}
