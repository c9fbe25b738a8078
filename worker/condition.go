package worker

import (
	"context"
	"strings"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

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
