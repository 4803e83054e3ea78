// SPDX-License-Identifier: Apache-2.0

package link

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
)

// authority signs certificates for a test.
type authority struct {
	t           *testing.T
	directory   string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	serial      int64
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, directory: t.TempDir(), serial: 1}
	a.key = a.newKey()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(a.serial), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.write("ca.pem", "CERTIFICATE", der)
	return a
}

func (a *authority) file(name string) string { return filepath.Join(a.directory, name) }

func (a *authority) newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return key
}

func (a *authority) write(name, kind string, der []byte) {
	a.t.Helper()
	data := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(a.file(name), data, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

func (a *authority) issue(name string, template *x509.Certificate) {
	a.t.Helper()
	a.serial++
	template.SerialNumber = big.NewInt(a.serial)
	template.Subject = pkix.Name{CommonName: name}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
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

// server issues a controller's certificate for 127.0.0.1, or for the names given.
func (a *authority) server(name string, names ...string) {
	template := &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: names}
	if len(names) == 0 {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	a.issue(name, template)
}

// host issues an agent's certificate with the given identities.
func (a *authority) host(name string, identities ...string) {
	template := &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	for _, id := range identities {
		template.URIs = append(template.URIs, &url.URL{Scheme: identityScheme, Opaque: id})
	}
	a.issue(name, template)
}

func (a *authority) serverTLS(name string) *tls.Config {
	a.t.Helper()
	own, err := tls.LoadX509KeyPair(a.file(name+".pem"), a.file(name+".key"))
	if err != nil {
		a.t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(a.certificate)
	return &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: clients,
		ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
}
