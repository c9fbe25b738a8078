package worker

import (
	"context"
	"crypto/tls"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// ErrRedisURL: the address is none of the forms that ParseRedis reads.
var ErrRedisURL = errors.New("worker: not a Redis URL")

// What Redis may take; a queue that hangs must not hold a relay up for long.
const (
	redisDial  = time.Second
	redisReply = 2 * time.Second
)

// ParseRedis reads the address of
//   - a single Redis: redis://user:password@host:6379/0, or rediss:// for TLS;
//   - Sentinels: redis-sentinel://user:password@h1:26379,h2:26379/0?master=name. The password is that of the Redis
//     behind them, and theirs too, unless sentinel_password gives another;
//   - a Cluster: redis-cluster://user:password@h1:6379,h2:6379, or rediss-cluster:// for TLS.
func ParseRedis(address string) (asynq.RedisConnOpt, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, ErrRedisURL
	}
	db := 0
	if path := strings.Trim(u.Path, "/"); path != "" {
		if db, err = strconv.Atoi(path); err != nil || db < 0 {
			return nil, ErrRedisURL
		}
	}
	user, hosts := u.User.Username(), strings.Split(u.Host, ",")
	password, _ := u.User.Password()
	var encrypted *tls.Config
	if strings.HasPrefix(u.Scheme, "rediss") {
		encrypted = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	}
	switch u.Scheme {
	case "redis", "rediss":
		return asynq.RedisClientOpt{Addr: u.Host, Username: user, Password: password, DB: db, TLSConfig: encrypted,
			DialTimeout: redisDial, ReadTimeout: redisReply, WriteTimeout: redisReply}, nil
	case "redis-sentinel":
		master, theirs := u.Query().Get("master"), u.Query().Get("sentinel_password")
		if master == "" {
			return nil, ErrRedisURL
		}
		if theirs == "" {
			theirs = password
		}
		return asynq.RedisFailoverClientOpt{MasterName: master, SentinelAddrs: hosts, SentinelPassword: theirs,
			Username: user, Password: password, DB: db,
			DialTimeout: redisDial, ReadTimeout: redisReply, WriteTimeout: redisReply}, nil
	case "redis-cluster", "rediss-cluster":
		if db != 0 {
			return nil, ErrRedisURL // a Cluster has one database
		}
		if encrypted != nil {
			encrypted.ServerName = "" // each node by its own name
		}
		return asynq.RedisClusterClientOpt{Addrs: hosts, Username: user, Password: password, TLSConfig: encrypted,
			DialTimeout: redisDial, ReadTimeout: redisReply, WriteTimeout: redisReply}, nil
	default:
		return nil, ErrRedisURL
	}
}

// Ping makes a function that reports whether Redis answers, and one that ends it.
func Ping(opt asynq.RedisConnOpt) (ping func(context.Context) error, stop func() error) {
	client := opt.MakeRedisClient().(redis.UniversalClient)
	return func(ctx context.Context) error { return client.Ping(ctx).Err() }, client.Close
}
