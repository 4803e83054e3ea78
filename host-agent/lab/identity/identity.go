// SPDX-License-Identifier: Apache-2.0

// Package identity reads the keys with which a lab's program stands at one end of the agent link.
package identity

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// Read gives a configuration with a certificate of its own, which trusts the authority of the other end,
// be that a server or a client. All are PEM files.
func Read(ca, certificate, key string) (*tls.Config, error) {
	authority, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	others := x509.NewCertPool()
	if !others.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("%s has no certificate", ca)
	}
	own, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{own}, RootCAs: others,
		ClientCAs: others, ClientAuth: tls.RequireAndVerifyClientCert,
	}, nil
}
