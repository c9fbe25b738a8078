package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"

	"github.com/hibiken/asynq"

	"bizfin/worker"
)

// fault breaks something and makes it whole again, or counts for nothing where it cannot.
type fault struct {
	name string
	run  func()
}

// inTurn runs faults one after the other in an order that is drawn, all as often, and counts them.
func (f *faults) inTurn(ctx context.Context, random *rand.Rand, from, to int, faults ...fault) {
	for {
		random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
		for _, one := range faults {
			if !pause(ctx, random, from, to) {
				return
			}
			one.run()
			f.counted.add(one.name)
		}
	}
}

// breakPrograms kills the API and the workers, has them end, and hangs them.
func (f *faults) breakPrograms(ctx context.Context, random *rand.Rand) {
	var all []fault
	for _, victim := range append([]*program{f.api}, f.workers...) {
		all = append(all,
			fault{victim.command + " killed", func() {
				victim.kill()
				pause(ctx, random, 0, 200)
				victim.start()
			}},
			fault{victim.command + " ended by SIGTERM", func() {
				f.counted.longest(victim.command+" took to end", victim.terminate())
				victim.start()
			}},
			fault{victim.command + " hung", func() {
				victim.hang()
				pause(ctx, random, 300, 2000)
				victim.resume()
			}})
	}
	f.inTurn(ctx, random, 100, 600, all...)
}

// breakRedis kills, hangs and wipes Redis, and has an empty one take its place.
func (f *faults) breakRedis(ctx context.Context, random *rand.Rand) {
	if !strings.HasPrefix(f.redis.stack.RedisKind, "redis-server") {
		f.t.Log("FAULT NOT TRIED: a broken Redis. There is no redis-server on this machine")
		return
	}
	f.inTurn(ctx, random, 300, 1500,
		fault{"redis killed", func() {
			f.redis.kill(f.redis.redisProcess())
			pause(ctx, random, 0, 1500)
			f.redis.start()
		}},
		fault{"redis hung", func() {
			pid := f.redis.redisProcess()
			f.redis.signal(pid, syscall.SIGSTOP)
			pause(ctx, random, 500, 3000)
			f.redis.signal(pid, syscall.SIGCONT)
		}},
		fault{"redis failed over to an empty one", func() {
			f.redis.kill(f.redis.redisProcess())
			f.redis.forget()
			f.redis.start()
		}},
		fault{"redis wiped", func() {
			c := f.redis.redis()
			defer c.Close()
			if err := c.FlushAll(context.Background()).Err(); err != nil {
				f.t.Errorf("redis: %v", err)
			}
		}})
}

// breakPostgres kills and hangs PostgreSQL, and fills its disk.
func (f *faults) breakPostgres(ctx context.Context, random *rand.Rand) {
	all := []fault{
		{"postgres killed", func() {
			f.postgres.kill(f.postgres.postgresProcess())
			f.postgres.start()
		}},
		{"postgres hung", func() {
			stopped := f.postgres.postgresProcesses()
			for _, pid := range stopped {
				_ = syscall.Kill(pid, syscall.SIGSTOP) // a connection may have ended meanwhile
			}
			pause(ctx, random, 500, 3000)
			for _, pid := range stopped {
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		}},
	}
	if f.disk != nil {
		all = append(all, fault{"disk full", func() {
			f.disk.fill()
			pause(ctx, random, 500, 2500)
			f.disk.empty()
			f.postgres.startAgain()
		}})
	}
	f.inTurn(ctx, random, 800, 2500, all...)
}

// breakNetwork freezes, delays and cuts what lies between the programs and their servers.
func (f *faults) breakNetwork(ctx context.Context, random *rand.Rand) {
	var all []fault
	for name, p := range map[string]*proxy{"postgres": f.postgresProxy, "redis": f.redisProxy} {
		all = append(all,
			fault{"network to " + name + " frozen", func() {
				p.freeze()
				pause(ctx, random, 300, 3000)
				p.thaw()
			}},
			fault{"network to " + name + " frozen and cut", func() {
				p.freeze()
				pause(ctx, random, 300, 1500)
				p.cut()
				p.thaw()
			}},
			fault{"connections to " + name + " lost, and then cut", func() {
				p.lose()
				pause(ctx, random, 300, 3000)
				p.cut()
			}},
			fault{"network to " + name + " slow", func() {
				p.slow(time.Duration(1+random.IntN(80)) * time.Millisecond)
				pause(ctx, random, 300, 1500)
				p.slow(0)
			}},
			fault{"network to " + name + " cut", p.cut})
	}
	f.inTurn(ctx, random, 200, 1500, all...)
}

// duplicate puts tasks into the queue that were there before: for turns that are over, and for any.
func (f *faults) duplicate(ctx context.Context, random *rand.Rand) {
	opt, err := worker.ParseRedis(f.redis.stack.RedisURL)
	if err != nil {
		f.t.Error(err)
		return
	}
	queue := asynq.NewClient(opt)
	defer queue.Close()
	for pause(ctx, random, 20, 400) {
		b := []*business{f.limited, f.paid, f.raised}[random.IntN(3)]
		var turn int64
		row := f.db.SQL().QueryRowContext(ctx, `SELECT number FROM turns WHERE organization_id = $1`, b.id)
		if row.Scan(&turn) != nil {
			continue // the database is down, or the business had no turn
		}
		after := []int64{-1, 0, max(turn-1, 0), turn}[random.IntN(4)]
		payload, err := json.Marshal(map[string]any{"organization_id": b.id, "after": after})
		if err != nil {
			f.t.Error(err)
			return
		}
		name := fmt.Sprintf("categorize%d%s", random.IntN(4), []string{"", "-behind"}[random.IntN(2)])
		for range 1 + random.IntN(3) {
			task := asynq.NewTask("organization:turn", payload)
			if _, err := queue.EnqueueContext(ctx, task, asynq.Queue(name)); err == nil {
				f.counted.add("tasks duplicated")
			}
		}
	}
}
