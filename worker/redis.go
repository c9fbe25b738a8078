package worker

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// ErrRedisURL: the address is none of the forms that ParseRedis reads.
var ErrRedisURL = errors.New("worker: not a Redis URL")

// ParseRedis reads the address of a single Redis (redis:// or rediss://), of Sentinels (redis-sentinel://h1,h2?master=name) or
// of a Cluster (redis-cluster://user:password@h1,h2).
func ParseRedis(address string) (asynq.RedisConnOpt, error) {
	if rest, ok := strings.CutPrefix(address, "redis-cluster://"); ok {
		u, err := url.Parse("redis://" + rest)
		if err != nil || u.Host == "" {
			return nil, ErrRedisURL
		}
		password, _ := u.User.Password()
		return asynq.RedisClusterClientOpt{Addrs: strings.Split(u.Host, ","), Username: u.User.Username(), Password: password}, nil
	}
	opt, err := asynq.ParseRedisURI(address)
	if err != nil {
		return nil, ErrRedisURL
	}
	if single, ok := opt.(asynq.RedisClientOpt); ok {
		single.DialTimeout, single.ReadTimeout, single.WriteTimeout = time.Second, 2*time.Second, 2*time.Second
		return single, nil
	}
	return opt, nil
}

// Ping makes a function that reports whether Redis answers, and one that ends it.
func Ping(opt asynq.RedisConnOpt) (ping func(context.Context) error, stop func() error) {
	client := opt.MakeRedisClient().(redis.UniversalClient)
	return func(ctx context.Context) error { return client.Ping(ctx).Err() }, client.Close
}
