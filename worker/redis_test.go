package worker_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hibiken/asynq"

	"bizfin/worker"
)

func TestRedisURLsSayWhereAndAsWhom(t *testing.T) {
	for address, want := range map[string]asynq.RedisConnOpt{
		"redis://host:6379": asynq.RedisClientOpt{Addr: "host:6379"},
		"redis://ana:secret@host:6379/2": asynq.RedisClientOpt{Addr: "host:6379", Username: "ana",
			Password: "secret", DB: 2},
		"rediss://:p%40ss@host:6380": asynq.RedisClientOpt{Addr: "host:6380", Password: "p@ss"},
		"redis-cluster://a:1,b:2":    asynq.RedisClusterClientOpt{Addrs: []string{"a:1", "b:2"}},
		"rediss-cluster://ana:secret@a:1": asynq.RedisClusterClientOpt{Addrs: []string{"a:1"}, Username: "ana",
			Password: "secret"},
		"redis-sentinel://a:1,b:2?master=m": asynq.RedisFailoverClientOpt{MasterName: "m",
			SentinelAddrs: []string{"a:1", "b:2"}},
		"redis-sentinel://ana:secret@a:1/3?master=m&sentinel_password=other": asynq.RedisFailoverClientOpt{
			MasterName: "m", SentinelAddrs: []string{"a:1"}, Username: "ana", Password: "secret",
			SentinelPassword: "other", DB: 3},
		"redis-sentinel://:secret@a:1?master=m": asynq.RedisFailoverClientOpt{MasterName: "m",
			SentinelAddrs: []string{"a:1"}, Password: "secret", SentinelPassword: "secret"},
	} {
		got, err := worker.ParseRedis(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		limits := []string{"TLSConfig", "DialTimeout", "ReadTimeout", "WriteTimeout"}
		ignore := cmp.Options{cmpopts.IgnoreFields(asynq.RedisClientOpt{}, limits...),
			cmpopts.IgnoreFields(asynq.RedisClusterClientOpt{}, limits...),
			cmpopts.IgnoreFields(asynq.RedisFailoverClientOpt{}, limits...)}
		if diff := cmp.Diff(want, got, ignore); diff != "" {
			t.Errorf("%s:\n%s", address, diff)
		}
		switch opt := got.(type) {
		case asynq.RedisClientOpt:
			if (opt.TLSConfig != nil) != (address[:7] == "rediss:") || opt.DialTimeout == 0 {
				t.Errorf("%s: encrypted %v, %v to connect", address, opt.TLSConfig != nil, opt.DialTimeout)
			}
		case asynq.RedisClusterClientOpt:
			if (opt.TLSConfig != nil) != (address[:7] == "rediss-") || opt.DialTimeout == 0 {
				t.Errorf("%s: encrypted %v, %v to connect", address, opt.TLSConfig != nil, opt.DialTimeout)
			}
		}
	}
	for _, address := range []string{"", "host:6379", "http://host", "redis://", "redis://host/x", "redis://host/-1",
		"redis-sentinel://a:1", "redis-cluster://a:1/2", "redis-socket:///x"} {
		if _, err := worker.ParseRedis(address); err == nil {
			t.Errorf("%q was taken", address)
		}
	}
}
