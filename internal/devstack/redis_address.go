package devstack

import (
	"fmt"
	"net"
	"strconv"
)

func (r *run) chooseRedisPort() error {
	port, err := choosePort(r.state.RedisPort)
	if err != nil {
		return err
	}
	r.state.RedisPort = port
	return r.saveState()
}

func (r *run) redisAddr() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.state.RedisPort))
}

func (r *run) redisURL() string {
	return fmt.Sprintf("redis://:%s@%s/0", r.state.RedisPassword, r.redisAddr())
}
