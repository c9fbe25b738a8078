package devstack

import (
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// startEmbeddedRedis runs miniredis inside this process. Its clock stands still unless it is moved, so a ticker
// moves it: otherwise keys with a lifetime, such as the locks of unique tasks, would live for ever.
func (r *run) startEmbeddedRedis() (*server, error) {
	m := miniredis.NewMiniRedis()
	m.RequireAuth(r.state.RedisPassword)
	if err := r.chooseRedisPort(); err != nil {
		return nil, err
	}
	if err := m.StartAddr(r.redisAddr()); err != nil {
		return nil, fmt.Errorf("embedded Redis: %w", err)
	}
	stopped, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-stopped:
				return
			case <-tick.C:
				m.FastForward(time.Second)
			}
		}
	}()
	return &server{
		url:  r.redisURL(),
		kind: "embedded (miniredis)",
		stop: func() error {
			close(stopped)
			<-ended
			m.Close()
			return nil
		},
	}, nil
}
