// SPDX-License-Identifier: Apache-2.0

// Package certificates has the PEM files of the agent link: what is in them, whose it is, and until when.
package certificates

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

const (
	// HostScheme is how a host's certificate names it: URI:sluice-host:<host>.
	HostScheme = "sluice-host"
	// SwitchScheme is how it names a switch about whose ports it may report:
	// URI:sluice-switch:<datapath id>.
	SwitchScheme = "sluice-switch"
)

// Files of an agent.
type Files struct {
	CA          string `yaml:"ca"`
	Certificate string `yaml:"certificate"`
	Key         string `yaml:"key"`
}

// Set is what the files held when they were read.
type Set struct {
	files       Files
	own         tls.Certificate
	chain       []*x509.Certificate // the agent's own is the first
	authorities []*x509.Certificate
}

func wrong(field, file, what, remedy string) error {
	return fmt.Errorf("tls.%s: %q: %s: %s", field, file, what, remedy)
}

// Read reads the files; it names all that cannot be used.
func (f Files) Read() (Set, error) {
	s := Set{files: f}
	authorities, caError := content("ca", f.CA)
	certificate, certificateError := content("certificate", f.Certificate)
	key, keyError := content("key", f.Key)
	if s.authorities = parse(authorities); caError == nil && len(s.authorities) == 0 {
		caError = wrong("ca", f.CA, "holds no PEM certificate", "give the authority that signed the controllers' certificates")
	}
	if s.chain = parse(certificate); certificateError == nil && len(s.chain) == 0 {
		certificateError = wrong("certificate", f.Certificate, "holds no PEM certificate", "give the agent's own")
	}
	if certificateError == nil && keyError == nil {
		var err error
		if s.own, err = tls.X509KeyPair(certificate, key); err != nil {
			keyError = wrong("key", f.Key, err.Error(), "give the key of that very certificate, "+f.Certificate)
		}
	}
	return s, errors.Join(caError, certificateError, keyError)
}

func content(field, file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		var reason *fs.PathError
		if errors.As(err, &reason) {
			err = reason.Err
		}
		return nil, wrong(field, file, err.Error(), "give a PEM file that the agent can read")
	}
	return text, nil
}

func parse(text []byte) (found []*x509.Certificate) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if certificate, err := x509.ParseCertificate(block.Bytes); err == nil && block.Type == "CERTIFICATE" {
			found = append(found, certificate)
		}
	}
	return found
}

// TLS is for a connection to a server called name.
func (s Set) TLS(name string) *tls.Config {
	roots := x509.NewCertPool()
	for _, authority := range s.authorities {
		roots.AddCert(authority)
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: roots, Certificates: []tls.Certificate{s.own}, ServerName: name,
	}
}

// IsSameIdentity reports whether the agent's own certificate is the same in both.
func (s Set) IsSameIdentity(other Set) bool {
	return len(s.chain) > 0 && len(other.chain) > 0 && s.chain[0].Equal(other.chain[0])
}

// CheckNames finds what every controller would refuse: the certificate of another host, or of an agent that does
// not keep these switches' queues.
func (s Set) CheckNames(host string, switches ...string) error {
	var found []error
	if names := Named(s.chain[0], HostScheme); !slices.Equal(names, []string{host}) {
		found = append(found, wrong("certificate", s.files.Certificate, fmt.Sprintf("names hosts %q, but this is host %q", names, host),
			"it needs exactly the subject alternative name URI:"+HostScheme+":"+host))
	}
	names := Named(s.chain[0], SwitchScheme)
	for _, datapath := range switches {
		if !slices.Contains(names, datapath) {
			found = append(found, wrong("certificate", s.files.Certificate,
				fmt.Sprintf("names switches %q, but a port of %s is configured", names, datapath),
				"it needs the subject alternative name URI:"+SwitchScheme+":"+datapath))
		}
	}
	return errors.Join(found...)
}

// Named lists the names in a certificate's URIs of a scheme.
func Named(certificate *x509.Certificate, scheme string) []string {
	var found []string
	for _, uri := range certificate.URIs {
		if uri.Scheme == scheme {
			found = append(found, uri.Opaque)
		}
	}
	return found
}

// CheckDates finds what cannot be used at a time.
func (s Set) CheckDates(now time.Time) error {
	var found []error
	for _, one := range s.chain {
		if problem := outdated(one, now); problem != "" {
			found = append(found, wrong("certificate", s.files.Certificate, problem, "put a valid one in its place, with its key"))
			break
		}
	}
	if !slices.ContainsFunc(s.authorities, func(one *x509.Certificate) bool { return outdated(one, now) == "" }) {
		found = append(found, wrong("ca", s.files.CA, outdated(s.authorities[0], now), "put a valid authority in its place"))
	}
	return errors.Join(found...)
}

const moment = "2006-01-02 15:04 UTC"

func outdated(certificate *x509.Certificate, now time.Time) string {
	switch {
	case now.After(certificate.NotAfter):
		return "ended on " + certificate.NotAfter.UTC().Format(moment)
	case now.Before(certificate.NotBefore):
		return "begins only on " + certificate.NotBefore.UTC().Format(moment) + ", by this host's clock"
	}
	return ""
}

// NotAfter is when the agent's own certificate ends.
func (s Set) NotAfter() time.Time { return earliest(s.chain) }

// AuthoritiesNotAfter is when the last authority ends: from then on no controller can be verified.
func (s Set) AuthoritiesNotAfter() time.Time {
	return slices.MaxFunc(s.authorities, byEnd).NotAfter
}

// VerifiedNotAfter is when a server can be verified no longer, by none of the chains that it was verified by.
func VerifiedNotAfter(chains [][]*x509.Certificate) (latest time.Time) {
	for _, chain := range chains {
		if end := earliest(chain); end.After(latest) {
			latest = end
		}
	}
	return latest
}

func earliest(chain []*x509.Certificate) time.Time { return slices.MinFunc(chain, byEnd).NotAfter }

func byEnd(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) }
