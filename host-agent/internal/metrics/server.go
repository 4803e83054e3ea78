// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	// scrapes at once: more wait for nothing and get 503, since each has the agent read all of its counters.
	maxScrapes    = 2
	scrapeTimeout = 5 * time.Second
)

// Server answers GET /metrics.
type Server struct {
	http     *http.Server
	finished chan struct{}
}

// Serve starts answering on an address, host:port. Close ends it. No address: nothing is served.
func Serve(address string, collector prometheus.Collector, log *slog.Logger) (*Server, error) {
	if address == "" {
		return &Server{}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("metricsAddress: %q: %w: give an address of this host and a free port", address, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry(collector), promhttp.HandlerOpts{
		MaxRequestsInFlight: maxScrapes, Timeout: scrapeTimeout, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}))
	s := &Server{
		http: &http.Server{
			Handler: mux, ReadTimeout: scrapeTimeout, WriteTimeout: 2 * scrapeTimeout, IdleTimeout: time.Minute,
			MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		},
		finished: make(chan struct{}),
	}
	go func() {
		defer close(s.finished)
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("metrics server stopped", "error", err)
		}
	}()
	return s, nil
}

// Close ends it, with the scrapes that are under way.
func (s *Server) Close() error {
	if s.http == nil {
		return nil
	}
	err := s.http.Close()
	<-s.finished
	return err
}

func registry(collector prometheus.Collector) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collector)
	return r
}
