package devstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The one role and the one database of a private server. The role may do everything: the server is private, and
// developers look around in it.
const databaseName = "bizfin"

// dataMajor is the major version that made the data folder, 0 if there is no data.
func dataMajor(data string) (int, error) {
	text, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// makeDurableData makes the data folder, protected by password, unless it exists. It appears in one step when it
// is whole.
func (r *run) makeDurableData(ctx context.Context, p *postgresPrograms, data string) error {
	if exists(data) {
		r.state.PostgresPassword = cmp.Or(r.state.PostgresPassword, r.config.Password)
		if r.state.PostgresPassword != "" {
			return nil
		}
		r.log.Warn("the database password was lost: setting a new one", "folder", data)
		return r.newDatabasePassword(ctx, p, data)
	}
	work, err := r.newWorkFolder("postgres.new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r.state.PostgresPassword = cmp.Or(r.config.Password, newPassword())
	if err := r.saveState(); err != nil {
		return err
	}
	password := filepath.Join(work, "password")
	err = errors.Join(os.WriteFile(password, []byte(r.state.PostgresPassword), 0o600), r.account.own(password))
	if err != nil {
		return err
	}
	r.config.tell(postgresName, "making an empty database (initdb)")
	unfinished := filepath.Join(work, "data")
	if err := r.initdb(ctx, p, unfinished, "--auth=scram-sha-256", "--pwfile="+password); err != nil {
		return err
	}
	return os.Rename(unfinished, data)
}

func (r *run) newDatabasePassword(ctx context.Context, p *postgresPrograms, data string) error {
	password := newPassword()
	if err := r.single(ctx, p, data, fmt.Sprintf("ALTER ROLE %s PASSWORD '%s'", databaseName, password)); err != nil {
		return err
	}
	r.state.PostgresPassword = password
	return r.saveState()
}

// copyTemplate makes an ephemeral data folder. Copying a cluster made once takes a tenth of the time of initdb.
func (r *run) copyTemplate(ctx context.Context, p *postgresPrograms, data string) error {
	template := r.join(fmt.Sprintf("template-%s-%d", p.version, r.account.id())) // readable by its owner only
	if err := r.makeTemplate(ctx, p, template); err != nil {
		return err
	}
	if err := r.account.makeFolder(data); err != nil {
		return err
	}
	_, err := command{account: r.account, dir: "/", program: "cp",
		args: []string{"-Rp", template + "/.", data}}.output(ctx)
	return err
}

func (r *run) makeTemplate(ctx context.Context, p *postgresPrograms, template string) error {
	if exists(template) {
		return nil
	}
	lock, err := waitLock(ctx, r.join("template.lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	if exists(template) {
		return nil
	}
	work, err := r.newWorkFolder("template.new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	data := filepath.Join(work, "data")
	// Write-ahead log files of 1 MB in place of 16 MB are most of what makes the copy quick.
	if err := r.initdb(ctx, p, data, "--auth=trust", "--no-sync", "--wal-segsize=1"); err != nil {
		return err
	}
	return os.Rename(data, template)
}

// newWorkFolder makes a folder for something unfinished, after removing those that killed runs left. The caller
// holds the lock under which the prefix is used.
func (r *run) newWorkFolder(prefix string) (string, error) {
	left, _ := filepath.Glob(r.join(prefix + "*"))
	for _, path := range left {
		if err := os.RemoveAll(path); err != nil {
			return "", err
		}
	}
	work, err := os.MkdirTemp(r.home.path, prefix)
	if err != nil {
		return "", err
	}
	return work, r.account.own(work)
}

// initdb makes a cluster with the database in it. Text sorts by code point, the same on every machine, and letters
// beyond ASCII are letters, to ILIKE and to trigrams, if the system has a UTF-8 locale.
func (r *run) initdb(ctx context.Context, p *postgresPrograms, data string, args ...string) error {
	args = append([]string{"--pgdata=" + data, "--username=" + databaseName, "--encoding=UTF8",
		"--locale=C", "--lc-ctype=" + r.characterLocale(ctx)}, args...)
	_, err := command{account: r.account, dir: filepath.Dir(data), libs: p.libs,
		program: filepath.Join(p.bin, "initdb"), args: args}.output(ctx)
	if err != nil {
		return err
	}
	return r.single(ctx, p, data, "CREATE DATABASE "+databaseName)
}

// characterLocale is the locale that tells letters from other characters: C.UTF-8, which glibc brings, or
// en_US.UTF-8, which macOS brings, or C, which knows ASCII only.
func (r *run) characterLocale(ctx context.Context) string {
	out, _ := command{dir: "/", program: "locale", args: []string{"-a"}}.output(ctx)
	known := strings.Fields(strings.ReplaceAll(strings.ToLower(out), "-", ""))
	for _, name := range []string{"C.UTF-8", "en_US.UTF-8"} {
		if slices.Contains(known, strings.ReplaceAll(strings.ToLower(name), "-", "")) {
			return name
		}
	}
	r.log.Warn("no UTF-8 locale on this machine: searches tell upper from lower case in ASCII letters only")
	return "C"
}

// single executes one statement in a server that serves nobody else and ends with it. The statement is kept out
// of the log, because it may hold a password.
func (r *run) single(ctx context.Context, p *postgresPrograms, data, statement string) error {
	_, err := command{account: r.account, dir: data, libs: p.libs,
		program: filepath.Join(p.bin, "postgres"),
		args: []string{"--single", "-D", data, "-c", "exit_on_error=on",
			"-c", "log_min_messages=error", "-c", "log_min_error_statement=panic", "postgres"},
		stdin: statement + "\n"}.output(ctx)
	if err != nil {
		return fmt.Errorf("prepare the database: %w", err)
	}
	return nil
}
