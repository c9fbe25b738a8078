package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/internal/devstack"
	"bizfin/internal/seal"
	"bizfin/migrations"
	"bizfin/server"
	"bizfin/server/oauth"
	"bizfin/store"
	"bizfin/worker"
)

const (
	devAudience = "bizfin-embed"
	devPartner  = "demo"
)

func devCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "dev",
		Short: "Run everything on this machine, with a partner to try it",
		Long: `Run PostgreSQL, Redis, the API and its worker on this machine.

PostgreSQL and Redis are those of BIZFIN_DATABASE_URL and BIZFIN_REDIS_URL, or
the newest installed programs, or Debian's packages, fetched without root. Data
and a secret key are kept under .local/, and .local/dev.json tells other
commands and your own programs what they need. Ctrl-C stops everything; the next
run goes on.`,
		Example: `  bizfin dev
  PORT=9000 bizfin dev`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return dev(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

// dev starts what is missing, keeps it under .local/, and serves until it is told to stop. What it does until it serves
// it says on notes.
func dev(ctx context.Context, out, notes io.Writer) (err error) {
	s, log, err := devSettings()
	if err != nil {
		return err
	}
	if err := s.check(needKeys, needAudience); err != nil { // before anything is started
		return err
	}
	starting := &starting{screen: terminal.On(notes), now: time.Now}
	defer starting.abandon()
	stack, err := devstack.Start(ctx, devstack.Config{Dir: devFolder, DatabaseURL: s.DatabaseURL, RedisURL: s.RedisURL,
		Log: log, Tell: starting.tell})
	if errors.Is(err, devstack.ErrRunning) {
		return errors.New("bizfin runs in this folder already; stop it with Ctrl-C first")
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stack.Stop()) }()
	s.DatabaseURL, s.RedisURL = stack.DatabaseURL, stack.RedisURL
	if err := s.check(needDatabase, needRedis, needKeys, needAudience, needPublicURL); err != nil {
		return err
	}
	stopTracing, err := startTracing(ctx, "bizfin-dev")
	if err != nil {
		return err
	}
	defer stopTracing()
	partner, err := prepare(ctx, s, starting)
	if err != nil {
		return err
	}
	working, stopWork := context.WithCancel(ctx)
	worked, metrics := make(chan error, 1), worker.NewMetrics()
	background := s
	background.MetricsAddr = "" // the API shows its numbers too
	go func() { worked <- work(working, background, log, metrics, nil) }()
	defer func() {
		stopWork()
		err = errors.Join(err, <-worked)
	}()
	return serve(ctx, s, log, func(net.Addr) {
		if err := writeDevFile(devFolder, devFileOf(s, partner)); err != nil {
			log.Error("the file for other commands could not be written", slog.Any("error", err))
		}
		welcome(out, s, stack)
	}, metrics)
}

// devSettings fills what a developer does not want to think about. The secret key is made once and kept.
func devSettings() (settings, *slog.Logger, error) {
	s, err := readSettings(io.Discard)
	if err != nil {
		return s, nil, err
	}
	// What an earlier run left behind is made anew; only what was really set in the environment counts.
	s.DatabaseURL, s.RedisURL = os.Getenv("BIZFIN_DATABASE_URL"), os.Getenv("BIZFIN_REDIS_URL")
	port := cmp.Or(os.Getenv("PORT"), "8080")
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		s.unread = append(s.unread, "PORT must be a port from 1 to 65535, such as 9000")
	}
	if os.Getenv("BIZFIN_ADDR") == "" {
		s.Addr = "127.0.0.1:" + port
	}
	if s.PublicURL = os.Getenv("BIZFIN_PUBLIC_URL"); s.PublicURL == "" {
		s.PublicURL = "http://" + s.Addr
	}
	if os.Getenv("BIZFIN_SIGN_IN") == "" { // as the guide to it is tried
		s.SignIn = s.PublicURL == "http://"+s.Addr && oauth.Loopback(s.Addr)
	}
	if s.Audience = os.Getenv("BIZFIN_AUDIENCE"); s.Audience == "" {
		s.Audience = devAudience
	}
	if s.SecretKey = os.Getenv("BIZFIN_SECRET_KEY"); s.SecretKey == "" {
		s.SecretKey, err = keptSecretKey(devFolder)
	}
	if os.Getenv("BIZFIN_LOG_LEVEL") == "" {
		s.LogLevel = slog.LevelWarn
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: s.LogLevel}))
	if os.Getenv("BIZFIN_LOG_LEVEL") == "" {
		log = slog.New(quietly{slog.NewTextHandler(os.Stderr, nil)})
	}
	return s, log, err
}

// quietly shows warnings, and of the lines of requests those that were refused: they say what is wrong with a program
// that is being written.
type quietly struct{ slog.Handler }

func (q quietly) Handle(ctx context.Context, r slog.Record) error {
	shown := r.Level >= slog.LevelWarn
	r.Attrs(func(a slog.Attr) bool {
		shown = shown || a.Key == "refused"
		return !shown
	})
	if !shown {
		return nil
	}
	return q.Handler.Handle(ctx, r)
}

func (q quietly) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quietly{q.Handler.WithAttrs(attrs)}
}
func (q quietly) WithGroup(name string) slog.Handler { return quietly{q.Handler.WithGroup(name)} }

// keptSecretKey makes a key once and keeps it readable for this user alone.
func keptSecretKey(folder string) (string, error) {
	file := filepath.Join(folder, "secret.key")
	kept, err := os.ReadFile(file)
	if err == nil {
		return string(kept), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	key := seal.NewKey()
	return key, os.WriteFile(file, []byte(key), 0o600)
}

// prepare migrates the database and makes sure of the partner to try things with.
func prepare(ctx context.Context, s settings, starting *starting) (partnerSecrets, error) {
	db, err := store.Open(s.DatabaseURL, store.Options{MaxConnections: 2})
	if err != nil {
		return partnerSecrets{}, err
	}
	defer db.Close()
	if err := migrations.UpTelling(ctx, db.SQL(), starting.migrating); err != nil {
		return partnerSecrets{}, err
	}
	starting.end()
	created, err := createPartner(ctx, db, s.keys, devPartner, "Demo partner", s.PublicURL)
	if errors.Is(err, store.ErrPartnerExists) {
		return keptPartner(ctx, db, s)
	}
	return created, err
}

// keptPartner opens the secrets of the partner, or replaces the ones that another key sealed.
func keptPartner(ctx context.Context, db *store.DB, s settings) (partnerSecrets, error) {
	kept := partnerSecrets{PartnerID: devPartner, WebhookURL: webhookURL(s.PublicURL, devPartner)}
	for purpose, into := range map[string]*string{store.PurposeToken: &kept.PartnerSecret,
		store.PurposeWebhook: &kept.WebhookSecret} {
		sealed, err := db.PartnerSecrets(ctx, devPartner, purpose)
		if err != nil {
			return kept, fmt.Errorf("partner %s: %w", devPartner, err)
		}
		secret, err := s.keys.Open(sealed[0], server.SecretContext(devPartner, purpose))
		if err == nil {
			*into = string(secret)
			continue
		}
		*into = newSecret()
		if err := db.RotateSecret(ctx, time.Now(), devPartner,
			sealSecret(s.keys, devPartner, purpose, *into)); err != nil {
			return kept, err
		}
		if _, err := db.RetireOldSecrets(ctx, time.Now(), devPartner, purpose); err != nil {
			return kept, err
		}
	}
	return kept, nil
}

func devFileOf(s settings, p partnerSecrets) devFileContent {
	return devFileContent{
		BaseURL:       s.PublicURL,
		Audience:      s.Audience,
		PartnerID:     p.PartnerID,
		PartnerSecret: p.PartnerSecret,
		WebhookURL:    p.WebhookURL,
		WebhookSecret: p.WebhookSecret,
		MCPURL:        s.PublicURL + "/mcp",
		DatabaseURL:   s.DatabaseURL,
		RedisURL:      s.RedisURL,
		SecretKey:     s.SecretKey,
	}
}

func welcome(out io.Writer, s settings, stack *devstack.Stack) {
	fmt.Fprintf(out, `
bizfin is ready.

  API        %[1]s%[2]s
  Reference  %[1]s%[2]s/docs
  Guides     %[1]s%[2]s/docs/guides/
  Database   %[3]s
  Queue      %[4]s
  Settings   %[5]s (secrets and addresses for your own programs)

Connect a first business, from another terminal in this folder:

  curl -s -X POST %[1]s%[2]s/auth/partner \
    -H "X-Service-Partner: %[6]s" \
    -H "Authorization: Bearer $(bin/bizfin token partner --email ana@example.com --business "biz-1=Ana's Bakery")"

Or see a year of a made-up business, from there too:

  make demo

Ctrl-C stops everything and keeps the data.
`, s.PublicURL, server.BasePath, stack.DatabaseKind, stack.RedisKind, devFile(devFolder), devPartner)
}
