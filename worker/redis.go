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

// RedisCondition is how a Redis is, as an operator wants to know it. What a server does not tell is empty.
type RedisCondition struct {
	Version string
	Policy  string // what it does when its memory is full: the setting maxmemory-policy
}

// Condition asks a Redis about itself. The error is that it does not answer at all.
func Condition(ctx context.Context, opt asynq.RedisConnOpt) (RedisCondition, error) {
	client := opt.MakeRedisClient().(redis.UniversalClient)
	defer client.Close()
	if err := client.Ping(ctx).Err(); err != nil {
		return RedisCondition{}, err
	}
	said := map[string]string{}
	for _, section := range []string{"server", "memory"} {
		text, err := client.Info(ctx, section).Result()
		if err != nil {
			continue // an embedded one knows no sections
		}
		for line := range strings.SplitSeq(text, "\r\n") {
			if name, value, found := strings.Cut(line, ":"); found {
				said[name] = value
			}
		}
	}
	return RedisCondition{Version: said["redis_version"], Policy: said["maxmemory_policy"]}, nil
}
