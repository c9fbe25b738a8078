package devstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// startRedis starts redis-server on loopback with a password, or the embedded miniredis where there is none.
func (r *run) startRedis(ctx context.Context) (*server, error) {
	r.state.RedisPassword = cmp.Or(r.config.Password, r.state.RedisPassword, newPassword())
	if err := r.stopLeftRedis(ctx); err != nil {
		return nil, err
	}
	program, err := r.findRedis(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		r.log.Warn("no redis-server: using the embedded miniredis, which forgets its queues when it stops", "reason",
			err)
		return r.startEmbeddedRedis()
	}
	if err := r.account.makeFolder(r.in("redis")); err != nil {
		return nil, err
	}
	r.config.tell(redisName, "starting "+program.version)
	p, err := r.launchRedis(ctx, program)
	if err != nil {
		return nil, err
	}
	return &server{
		url:    r.redisURL(),
		kind:   fmt.Sprintf("redis-server %s (%s)", program.version, program.path),
		folder: filepath.Dir(program.path),
		libs:   program.libs,
		stop:   func() error { return p.stop(syscall.SIGTERM, stopPatience) },
	}, nil
}

// launchRedis starts the server and waits until it accepts commands, on another port when the chosen one was
// taken meanwhile.
func (r *run) launchRedis(ctx context.Context, program *redisProgram) (*process, error) {
	for attempt := 1; ; attempt++ {
		if err := r.chooseRedisPort(); err != nil {
			return nil, err
		}
		p, err := command{account: r.account, dir: r.in("redis"), libs: program.libs, program: program.path,
			args: []string{"-"}, stdin: r.redisSettings(), onDeath: r.deathSignal(syscall.SIGTERM)}.start("Redis",
			r.in("redis.log"))
		if err != nil {
			return nil, err
		}
		err = r.waitRedis(ctx, p)
		if err == nil {
			return p, nil
		}
		if !p.ended() {
			return nil, errors.Join(err, p.stop(syscall.SIGKILL, stopPatience))
		}
		if portFree(r.state.RedisPort) || attempt == 5 {
			return nil, fmt.Errorf("redis-server did not start: %w", p.failure())
		}
	}
}

// redisSettings go to the server's standard input, which keeps the password out of the process list.
func (r *run) redisSettings() string {
	settings := []string{
		"bind 127.0.0.1",
		"port " + strconv.Itoa(r.state.RedisPort),
		"requirepass " + r.state.RedisPassword,
		"dir " + strconv.Quote(r.in("redis")),
		"daemonize no",
		`save ""`,
	}
	if r.config.Ephemeral {
		settings = append(settings, "appendonly no")
	} else {
		settings = append(settings, "appendonly yes", "appendfsync everysec")
	}
	return strings.Join(append(settings, r.config.RedisSettings...), "\n") + "\n"
}

func (r *run) redisClient() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: r.redisAddr(), Password: r.state.RedisPassword,
		DialTimeout: time.Second, MaxRetries: -1, DisableIdentity: true})
}

// waitRedis returns when p answers, or has ended. Only our server knows the password.
func (r *run) waitRedis(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	client := r.redisClient()
	defer client.Close()
	return until(ctx, 10*time.Millisecond, func() (bool, error) {
		if p.ended() {
			return false, p.failure()
		}
		return client.Ping(ctx).Err() == nil, nil
	})
}

// stopLeftRedis shuts down a server that a killed run left on the run's data. It is known by its port, its
// password and its folder.
func (r *run) stopLeftRedis(ctx context.Context) error {
	if r.state.RedisPort == 0 || portFree(r.state.RedisPort) {
		return nil
	}
	client := r.redisClient()
	defer client.Close()
	dir, err := client.ConfigGet(ctx, "dir").Result()
	if err != nil || dir["dir"] != r.in("redis") {
		return nil // somebody else took the port
	}
	r.log.Info("stopping the Redis that a killed run left", "port", r.state.RedisPort)
	_ = client.Shutdown(ctx) // answers by closing the connection
	ctx, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	err = until(ctx, 10*time.Millisecond, func() (bool, error) { return portFree(r.state.RedisPort), nil })
	if err != nil {
		return fmt.Errorf("redis-server of a killed run on port %d does not stop: %w", r.state.RedisPort, err)
	}
	return nil
}
