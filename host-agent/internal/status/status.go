// SPDX-License-Identifier: Apache-2.0

// Package status is the agent's control socket: one JSON request and one JSON answer per
// connection, on a Unix socket that only root can open.
package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// Commands of a Request.
const (
	CommandStatus = "status"
	CommandLimit  = "limit"
)

const (
	exchangeTimeout = 5 * time.Second
	maxRequestBytes = 64 << 10
)

// Request is sent to a running agent.
type Request struct {
	Command string `json:"command"`
	// Interface and RateBitsPerSecond belong to CommandLimit; rate 0 takes the override off.
	Interface         string `json:"interface,omitempty"`
	RateBitsPerSecond uint64 `json:"rateBitsPerSecond,omitempty"`
}

type answer struct {
	Error  string          `json:"error,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// Handler answers requests; its result is encoded as JSON. Called from several goroutines.
type Handler func(Request) (any, error)

// Server listens on the socket.
type Server struct {
	listener net.Listener
	handler  Handler
}

// Serve starts answering on path. Close ends it and removes the socket.
func Serve(path string, handler Handler) (*Server, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s := &Server{listener: listener, handler: handler}
	go s.accept()
	return s, nil
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		go s.answer(conn)
	}
}

func (s *Server) answer(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(exchangeTimeout))
	var request Request
	reply := answer{}
	if err := json.NewDecoder(&limited{conn, maxRequestBytes}).Decode(&request); err != nil {
		reply.Error = "malformed request: " + err.Error()
	} else if result, err := s.handler(request); err != nil {
		reply.Error = err.Error()
	} else if reply.Result, err = json.Marshal(result); err != nil {
		reply.Error = err.Error()
	}
	_ = json.NewEncoder(conn).Encode(reply)
}

// limited ends a stream after so many bytes.
type limited struct {
	conn net.Conn
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.New("too long")
	}
	n, err := l.conn.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// Close stops listening.
func (s *Server) Close() error { return s.listener.Close() }

// Query sends a request to the agent behind path and returns its raw JSON result.
func Query(path string, request Request) (json.RawMessage, error) {
	conn, err := net.DialTimeout("unix", path, exchangeTimeout)
	if err != nil {
		return nil, fmt.Errorf("no agent answers at %s (is it running, with this run directory?): %w", path, err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(exchangeTimeout))
	if err := json.NewEncoder(conn).Encode(request); err != nil {
		return nil, err
	}
	var reply answer
	if err := json.NewDecoder(conn).Decode(&reply); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if reply.Error != "" {
		return nil, errors.New(reply.Error)
	}
	return reply.Result, nil
}
