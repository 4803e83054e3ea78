// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"crypto/tls"
	"errors"
	"math"
	"net"
	"sync"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/certificates"
)

// certificatesEvery is how often files are read beside new connections, as controllers do.
const certificatesEvery = 5 * time.Second

const (
	// endsSoon is from when on status, metrics and alerts warn of a certificate.
	endsSoon = 30 * 24 * time.Hour
	// lookEvery is how often a controller is asked for its certificate once that ends soon.
	lookEvery = 10 * time.Minute
)

var errRenewed = errors.New("the agent's certificate was renewed: connecting anew with it")

// Certificates are those of the agent link, and why the files cannot be used now.
type Certificates struct {
	Known []Certificate `json:"known"`
	Fault string        `json:"fault,omitempty"`
}

// Certificate is until when one can be used.
type Certificate struct {
	// Of is "agent", "authority" (all that the agent trusts) or "controller", as it was verified last.
	Of string `json:"of"`
	// From is a file, or a controller's address.
	From     string    `json:"from"`
	NotAfter time.Time `json:"notAfter"`
	DaysLeft int       `json:"daysLeft"` // negative: it has ended
}

func certificate(of, from string, notAfter time.Time) Certificate {
	return Certificate{Of: of, From: from, NotAfter: notAfter.UTC(), DaysLeft: daysUntil(notAfter, time.Now())}
}

func daysUntil(end, now time.Time) int { return int(math.Floor(end.Sub(now).Hours() / 24)) }

// identity is what the files held when they could be used last.
type identity struct {
	mu    sync.Mutex
	read  certificates.Set
	fault string
	// renewed is closed once the agent's own certificate is another one.
	renewed chan struct{}
}

// readCertificates reads the files anew; renewed is closed once they hold another certificate of the agent.
func (c *Client) readCertificates() (read certificates.Set, renewed <-chan struct{}, err error) {
	read, err = c.config.TLS.Read()
	if err == nil {
		hello := c.currentHello()
		err = read.CheckNames(hello.Host, switches(hello.SwitchPorts)...)
	}
	i := &c.identity
	i.mu.Lock()
	defer i.mu.Unlock()
	if err != nil {
		i.fault = err.Error()
		return read, nil, err
	}
	if i.renewed == nil || !read.IsSameIdentity(i.read) {
		if i.renewed != nil {
			close(i.renewed)
		}
		i.renewed = make(chan struct{})
	}
	i.read, i.fault = read, ""
	return read, i.renewed, nil
}

// watchCertificates has sessions begin anew when the agent's certificate was renewed: controllers see only then
// that it is.
func (c *Client) watchCertificates(ctx context.Context) {
	ticker := time.NewTicker(c.config.certificatesEvery)
	defer ticker.Stop()
	logged := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		fault := ""
		if _, _, err := c.readCertificates(); err != nil {
			fault = err.Error()
		}
		if fault != "" && fault != logged {
			c.config.Log.Warn("certificates cannot be used: sessions go on, but none can begin", "error", fault)
		}
		logged = fault
	}
}

// watchControllers finds out when controllers have renewed a certificate that ends soon: their sessions go on.
func (c *Client) watchControllers(ctx context.Context) {
	ticker := time.NewTicker(c.config.lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, to := range c.controllers {
			if end := to.certificateEnd(); !end.IsZero() && time.Until(end) < endsSoon {
				c.look(ctx, to)
			}
		}
	}
}

// look takes note of a controller's certificate; one that cannot be reached is its session's to report.
func (c *Client) look(ctx context.Context, to *controller) {
	name, _, err := net.SplitHostPort(to.address)
	if err != nil {
		return
	}
	read, _, err := c.readCertificates()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	security := to.security(read, name)
	security.NextProtos = []string{"h2"}
	if connection, err := (&tls.Dialer{Config: security}).DialContext(ctx, "tcp", to.address); err == nil {
		_ = connection.Close()
	}
}

func (to *controller) certificateEnd() time.Time {
	to.mu.Lock()
	defer to.mu.Unlock()
	return to.notAfter
}

// security is for a connection to a controller called name; it takes note of the controller's certificate.
func (to *controller) security(read certificates.Set, name string) *tls.Config {
	security := read.TLS(name)
	security.VerifyConnection = func(state tls.ConnectionState) error {
		to.mu.Lock()
		defer to.mu.Unlock()
		to.notAfter = certificates.VerifiedNotAfter(state.VerifiedChains)
		return nil
	}
	return security
}

// Certificates returns until when the agent's, its authority's and controllers' certificates can be used.
func (c *Client) Certificates() Certificates {
	c.identity.mu.Lock()
	read, fault := c.identity.read, c.identity.fault
	c.identity.mu.Unlock()
	known := []Certificate{
		certificate("agent", c.config.TLS.Certificate, read.NotAfter()),
		certificate("authority", c.config.TLS.CA, read.AuthoritiesNotAfter()),
	}
	for _, to := range c.controllers {
		if end := to.certificateEnd(); !end.IsZero() {
			known = append(known, certificate("controller", to.address, end))
		}
	}
	return Certificates{Known: known, Fault: fault}
}
