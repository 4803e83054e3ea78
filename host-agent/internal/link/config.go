// SPDX-License-Identifier: Apache-2.0

package link

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// identityScheme is how a host's certificate names it: URI:sluice-host:<host>.
	identityScheme = "sluice-host"
	// switchScheme is how it names a switch about whose ports it may report:
	// URI:sluice-switch:<datapath id>.
	switchScheme = "sluice-switch"
)

// Config has the controllers to dial and the host's identity. All fields are required unless marked optional.
type Config struct {
	// Controllers are HOST:PORT; the server's certificate must be valid for HOST.
	Controllers []string
	// CAFile, CertificateFile and KeyFile are PEM files, read anew for every connection.
	CAFile, CertificateFile, KeyFile string
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
}

// check reads everything once, so that a wrong file is found at start and not in a retry's log.
func (c *Config) check(hello model.Hello) error {
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
	settings, err := c.tls("localhost")
	if err != nil {
		return err
	}
	leaf, err := x509.ParseCertificate(settings.Certificates[0].Certificate[0])
	if err != nil {
		return fmt.Errorf("tls.certificate %s: %w", c.CertificateFile, err)
	}
	return errors.Join(
		checkIdentity(leaf, c.CertificateFile, hello.Host),
		checkSwitches(leaf, c.CertificateFile, hello.SwitchPorts))
}

// tls reads the certificates for one connection to a server called name.
func (c *Config) tls(name string) (*tls.Config, error) {
	authorities, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("tls.ca: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authorities) {
		return nil, fmt.Errorf("tls.ca: %s holds no PEM certificate; give the authority that signed the controllers' certificates", c.CAFile)
	}
	own, err := tls.LoadX509KeyPair(c.CertificateFile, c.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("tls.certificate %s, tls.key %s: %w", c.CertificateFile, c.KeyFile, err)
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS12,
		RootCAs:      roots,
		Certificates: []tls.Certificate{own},
		ServerName:   name,
	}, nil
}

// named lists the names in a certificate's URIs of a scheme.
func named(leaf *x509.Certificate, scheme string) []string {
	var found []string
	for _, uri := range leaf.URIs {
		if uri.Scheme == scheme {
			found = append(found, uri.Opaque)
		}
	}
	return found
}

// checkIdentity finds at start what every controller would refuse later.
func checkIdentity(leaf *x509.Certificate, file, host string) error {
	if found := named(leaf, identityScheme); len(found) != 1 || found[0] != host {
		return fmt.Errorf("tls.certificate %s: names hosts %q, but this is host %q; "+
			"it needs exactly the subject alternative name URI:%s:%s", file, found, host, identityScheme, host)
	}
	return nil
}

// checkSwitches likewise, for the ports whose queues the agent keeps.
func checkSwitches(leaf *x509.Certificate, file string, ports []model.Port) error {
	found := named(leaf, switchScheme)
	for _, port := range ports {
		datapath, _, _ := strings.Cut(string(port), "/")
		if !slices.Contains(found, datapath) {
			return fmt.Errorf("tls.certificate %s: names switches %q, but port %s is configured; "+
				"it needs the subject alternative name URI:%s:%s", file, found, port, switchScheme, datapath)
		}
	}
	return nil
}
