// SPDX-License-Identifier: Apache-2.0

// Package rest speaks the controller's REST interface: requests, problem documents, the stream.
package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
)

// contexts are where controllers have the interface, for an address without a path.
var contexts = []string{"/onos/sluice/v1", "/sluice/v1"}

// Server is where the interface is, and who uses it.
type Server struct {
	// URL may lack the path: then it is one of contexts.
	URL            string
	User, Password string
	// CA is a file with the authorities of the server's certificate; empty: the system's.
	CA      string
	Timeout time.Duration
	// Agent is what the client calls itself.
	Agent string
}

// Client sends requests to a server.
type Client struct {
	server Server
	base   string // with the path, once that is known
	http   http.Client
	// CutOff is called, if set, with why what is answered is old: the node does not reach its cluster's store.
	CutOff func(reason string)
}

// Response is what was answered, if it was no refusal.
type Response struct {
	Body []byte
	// Tag is the entity tag of what was read.
	Tag string
}

// Request is what is wanted.
type Request struct {
	Method string
	// Path below the interface's, of segments that Path has escaped.
	Path  string
	Query url.Values
	// Body is JSON; nil: none.
	Body    []byte
	Headers map[string]string
}

// Unreachable is that no answer came, or that the application does not serve now: the same may succeed later.
type Unreachable struct{ error }

func (u Unreachable) Unwrap() error { return u.error }

// Misuse is a mistake of the caller.
type Misuse struct{ Err error }

func (m Misuse) Error() string { return m.Err.Error() }
func (m Misuse) Unwrap() error { return m.Err }

// Misusef is one.
func Misusef(format string, values ...any) error { return Misuse{fmt.Errorf(format, values...)} }

// NewClient reads the authorities; it sends nothing.
func NewClient(server Server) (*Client, error) {
	at, err := url.Parse(server.URL)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.User != nil || at.RawQuery != "" {
		return nil, Misusef(
			"server %q: give a URL without a user, such as https://192.0.2.10:8443 or https://192.0.2.10:8443/onos/sluice/v1", server.URL)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if server.CA != "" {
		text, err := os.ReadFile(server.CA)
		if err != nil {
			return nil, Misusef("ca: %w", err)
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(text) {
			return nil, Misusef("ca %q: it holds no certificate in PEM", server.CA)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	c := &Client{server: server}
	c.http.Transport = transport
	// A redirect could send the password elsewhere.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if at.Path = strings.TrimRight(at.Path, "/"); at.Path != "" {
		c.base = at.String()
	}
	c.server.URL = at.String()
	return c, nil
}

// Path joins segments, each of which is one.
func Path(segments ...string) (string, error) {
	var path strings.Builder
	for _, segment := range segments {
		if segment == "" || segment == "." || segment == ".." {
			return "", Misusef("name %q: it names nothing", segment)
		}
		path.WriteString("/" + url.PathEscape(segment))
	}
	return path.String(), nil
}

// Base is the interface's URL; it finds the path where none was given.
func (c *Client) Base(ctx context.Context) (string, error) {
	if c.base != "" {
		return c.base, nil
	}
	for _, path := range contexts {
		answer, err := c.send(ctx, c.server.URL+path, Request{Method: http.MethodGet, Path: "/access"})
		if err != nil {
			return "", err
		}
		answer.Body.Close()
		// Refusals of the interface are problem documents, those of others are pages.
		if answer.StatusCode == http.StatusOK || isType(answer, problemType) {
			c.base = c.server.URL + path
			return c.base, nil
		}
	}
	return "", Unreachable{fmt.Errorf("server %q: Sluice is neither at %s there: activate the application, or give the URL with its path",
		c.server.URL, strings.Join(contexts, " nor at "))}
}

// Do sends a request; the error is a *Problem where it was refused.
func (c *Client) Do(ctx context.Context, request Request) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.server.Timeout)
	defer cancel()
	answer, err := c.open(ctx, request)
	if err != nil {
		return Response{}, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return Response{}, Unreachable{err}
	}
	return Response{body, answer.Header.Get("ETag")}, nil
}

// Get reads what is at a path.
func (c *Client) Get(ctx context.Context, path string, query url.Values) (Response, error) {
	return c.Do(ctx, Request{Method: http.MethodGet, Path: path, Query: query})
}

// open leaves the body of a success to be read.
func (c *Client) open(ctx context.Context, request Request) (*http.Response, error) {
	base, err := c.Base(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := c.send(ctx, base, request)
	if err != nil {
		return nil, err
	}
	if reason := answer.Header.Get("Sluice-Cut-Off"); reason != "" && c.CutOff != nil {
		c.CutOff(reason)
	}
	if answer.StatusCode/100 == 2 {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, refusal(answer)
}

func (c *Client) send(ctx context.Context, base string, request Request) (*http.Response, error) {
	at := base + request.Path
	if len(request.Query) > 0 {
		at += "?" + request.Query.Encode()
	}
	sent, err := http.NewRequestWithContext(ctx, request.Method, at, bytes.NewReader(request.Body))
	if err != nil {
		return nil, Misuse{err}
	}
	sent.Header.Set("Accept", jsonType+", "+problemType)
	sent.Header.Set("User-Agent", c.server.Agent)
	if request.Body != nil {
		sent.Header.Set("Content-Type", jsonType) // some servers refuse it without a body
	}
	if request.Method != http.MethodGet {
		sent.Header.Set("X-Requested-With", "sluicectl")
	}
	for name, value := range request.Headers {
		sent.Header.Set(name, value)
	}
	if c.server.User != "" {
		sent.SetBasicAuth(c.server.User, c.server.Password)
	}
	answer, err := c.http.Do(sent)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no answer from %s within %v", c.server.URL, c.server.Timeout)
		}
		return nil, Unreachable{err}
	}
	return answer, nil
}

func isType(answer *http.Response, mediaType string) bool {
	return strings.HasPrefix(answer.Header.Get("Content-Type"), mediaType)
}
