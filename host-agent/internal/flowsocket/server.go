// SPDX-License-Identifier: Apache-2.0

package flowsocket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	maxLineBytes = 64 << 10
	// maxConnections at once; more are turned away.
	maxConnections = 64
	idleTimeout    = 5 * time.Minute
	writeTimeout   = 5 * time.Second
	// answerTimeout is how long a controller may take.
	answerTimeout = 3 * time.Second
	mode          = 0o660
)

// Handler hands a request to a controller. Its errors are Problems. Called from several goroutines.
type Handler func(context.Context, model.FlowRequest) (model.FlowAnswer, error)

// Server listens on the socket.
type Server struct {
	listener net.Listener
	handler  Handler
	cancel   context.CancelFunc
}

// Serve starts answering on path. Close ends it and removes the socket.
func Serve(path string, handler Handler) (*Server, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("flows socket: %w", err)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("flows socket: %w", err)
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(fmt.Errorf("flows socket: %w", err), listener.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{listener, handler, cancel}
	go s.accept(ctx)
	return s, nil
}

// Close stops listening; what is being answered is given up.
func (s *Server) Close() error {
	s.cancel()
	return s.listener.Close()
}

func (s *Server) accept(ctx context.Context) {
	free := make(chan struct{}, maxConnections)
	for {
		connection, err := s.listener.Accept()
		if err != nil {
			return
		}
		select {
		case free <- struct{}{}:
			go func() {
				defer func() { <-free }()
				s.serve(ctx, connection)
			}()
		default:
			_ = connection.Close()
		}
	}
}

// serve answers one connection's requests, one after the other.
func (s *Server) serve(ctx context.Context, connection net.Conn) {
	defer connection.Close()
	defer context.AfterFunc(ctx, func() { _ = connection.Close() })()
	lines := bufio.NewScanner(connection)
	lines.Buffer(nil, maxLineBytes)
	for {
		_ = connection.SetReadDeadline(time.Now().Add(idleTimeout))
		if !lines.Scan() {
			return
		}
		_ = connection.SetWriteDeadline(time.Now().Add(writeTimeout))
		if err := json.NewEncoder(connection).Encode(s.answer(ctx, lines.Bytes())); err != nil {
			return
		}
	}
}

// answer is never nil, and an error in REST's shape where something is wrong.
func (s *Server) answer(ctx context.Context, line []byte) any {
	request, err := decode(line)
	if err != nil {
		return err
	}
	requested := model.FlowRequest{List: request.List != nil}
	if request.Register != nil {
		deadline, err := request.Register.deadlineRequest(time.Now())
		if err != nil {
			return err
		}
		requested.Register = &deadline
	}
	if request.Remove != nil {
		requested.Remove = *request.Remove
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	answer, err := s.handler(ctx, requested)
	if err != nil {
		return err
	}
	return answerOf(request, answer)
}
