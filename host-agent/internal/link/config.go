// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/certificates"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Config has the controllers to dial and the host's identity. All fields are required unless marked optional.
type Config struct {
	// Controllers are HOST:PORT; the server's certificate must be valid for HOST.
	Controllers []string
	// TLS are read anew for every connection, and every few seconds.
	TLS certificates.Files
	// Lease holds for messages that name none.
	Lease time.Duration
	// Tau is the least time between two urgent observations until a controller sets another.
	Tau time.Duration
	// Unhurried: no observation is urgent, for what controllers decide has no effect on this host's rates. They
	// pass its marks on the sooner. Optional.
	Unhurried bool
	// Log receives sessions that begin or end and refused messages. Optional.
	Log Logger
	// Clock returns monotonic nanoseconds. Optional: time since the client was made.
	Clock func() int64

	certificatesEvery, lookEvery time.Duration
}

// Logger is what package log/slog offers.
type Logger interface {
	Info(message string, keysAndValues ...any)
	Warn(message string, keysAndValues ...any)
}

type discard struct{}

func (discard) Info(string, ...any) {}
func (discard) Warn(string, ...any) {}

func (c *Config) complete() {
	if c.Log == nil {
		c.Log = discard{}
	}
	if c.Clock == nil {
		began := time.Now()
		c.Clock = func() int64 { return int64(time.Since(began)) }
	}
	if c.certificatesEvery == 0 {
		c.certificatesEvery = certificatesEvery
	}
	if c.lookEvery == 0 {
		c.lookEvery = lookEvery
	}
}

func (c *Config) check() error {
	if len(c.Controllers) == 0 {
		return errors.New("controllers: none given; without any there is no agent link to start")
	}
	for i, address := range c.Controllers {
		if name, port, err := net.SplitHostPort(address); err != nil || name == "" || port == "" {
			return fmt.Errorf("controllers[%d]: %q must be HOST:PORT, for example 10.9.0.1:6680", i, address)
		}
	}
	if c.Lease <= 0 {
		return fmt.Errorf("lease: %v must be more than 0", c.Lease)
	}
	if c.Tau <= 0 {
		return fmt.Errorf("tau: %v must be more than 0", c.Tau)
	}
	return nil
}

func switches(ports []model.Port) []string {
	datapaths := make([]string, len(ports))
	for i, port := range ports {
		datapaths[i], _, _ = strings.Cut(string(port), "/")
	}
	return datapaths
}
