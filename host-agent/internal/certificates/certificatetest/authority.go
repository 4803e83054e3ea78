// SPDX-License-Identifier: Apache-2.0

// Package certificatetest has an authority for the agent link in tests.
package certificatetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/certificates"
)

// Authority signs certificates for a test.
type Authority struct {
	// Begins and Ends are when what is issued from now on is valid.
	Begins, Ends time.Time

	t           *testing.T
	directory   string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	serial      int64
}

// New makes an authority in a directory of its own; what it issues, and its own certificate, end in an hour.
func New(t *testing.T) *Authority {
	t.Helper()
	a := &Authority{t: t, directory: t.TempDir(), Begins: time.Now().Add(-time.Hour), Ends: time.Now().Add(time.Hour)}
	a.key = a.newKey()
	a.Renew()
	return a
}

// Renew makes the authority's own certificate anew, with the same key.
func (a *Authority) Renew() {
	a.t.Helper()
	a.serial++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.serial), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: a.Begins, NotAfter: a.Ends,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		a.t.Fatal(err)
	}
	a.write("ca.pem", "CERTIFICATE", der)
}

// File is the path of one that it wrote: ca.pem, NAME.pem, NAME.key.
func (a *Authority) File(name string) string { return filepath.Join(a.directory, name) }

func (a *Authority) newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return key
}

func (a *Authority) write(name, kind string, der []byte) {
	a.t.Helper()
	data := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(a.File(name), data, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// Issue issues what a template says of names and uses.
func (a *Authority) Issue(name string, template *x509.Certificate) {
	a.t.Helper()
	a.serial++
	template.SerialNumber = big.NewInt(a.serial)
	template.Subject = pkix.Name{CommonName: name}
	template.NotBefore, template.NotAfter = a.Begins, a.Ends
	template.KeyUsage = x509.KeyUsageDigitalSignature
	key := a.newKey()
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(name+".pem", "CERTIFICATE", der)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(name+".key", "PRIVATE KEY", encoded)
}

// Server issues a controller's certificate for 127.0.0.1, or for the names given.
func (a *Authority) Server(name string, names ...string) {
	template := &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: names}
	if len(names) == 0 {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	a.Issue(name, template)
}

// Host issues an agent's certificate with the given identities.
func (a *Authority) Host(name string, identities ...string) {
	template := &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	for _, id := range identities {
		template.URIs = append(template.URIs, &url.URL{Scheme: certificates.HostScheme, Opaque: id})
	}
	a.Issue(name, template)
}

// Files of an identity that it issued.
func (a *Authority) Files(name string) certificates.Files {
	return certificates.Files{CA: a.File("ca.pem"), Certificate: a.File(name + ".pem"), Key: a.File(name + ".key")}
}

// ServerTLS is of a controller that takes what the authority has signed.
func (a *Authority) ServerTLS(name string) *tls.Config {
	a.t.Helper()
	own, err := tls.LoadX509KeyPair(a.File(name+".pem"), a.File(name+".key"))
	if err != nil {
		a.t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(a.certificate)
	return &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: clients,
		ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
}
