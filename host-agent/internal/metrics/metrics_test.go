// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/sluice-sdn/sluice/host-agent/internal/agent"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/pairs"
	"github.com/sluice-sdn/sluice/host-agent/internal/port"
)

func aHost() agent.Status {
	return agent.Status{
		Role: "host", Host: "h1", Version: "1.2.3", Limiter: "shape", Enforcement: true, TauMicros: 1500,
		Controllers: []model.ControllerStatus{{Address: "10.9.0.1:6680", Connected: true}, {Address: "10.9.0.2:6680"}},
		Link:        &link.Counters{Sessions: 3, StaleRefused: 2},
		Certificates: &link.Certificates{Known: []link.Certificate{
			{Of: "agent", From: "/etc/sluice/h1.pem", NotAfter: time.Unix(1234567, 0)},
			{Of: "controller", From: "10.9.0.1:6680", NotAfter: time.Unix(2345678, 0)},
		}},
		Uplink: agent.UplinkStatus{Interface: "eth0", CapacityBitsPerSecond: 80_000_000},
		Endpoints: []endpoints.Status{{
			Interface: "vm0", MAC: "02:00:00:00:00:01", Tenant: "gold", Weight: 2, RateBitsPerSecond: 40_000_000,
			TxBytes: 1234, SpoofedPackets: 7, RefusedConnections: 3, DroppedPackets: 5,
			Groups: []endpoints.GroupStatus{
				{SentBytes: 1000}, {Port: "of:0000000000000001/5", RateBitsPerSecond: 8_000_000, CEShare: 0.25, DroppedPackets: 5},
			},
			Levels: &endpoints.LevelStatus{SentBytes: []uint64{10, 20}},
		}},
		Pairs: []pairs.Status{{Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.9")}},
	}
}

func host(status agent.Status, err error) Host {
	return Host{Read: func() (agent.Status, error) { return status, err }}
}

func aPort() port.Status {
	return port.Status{
		Role: "port", Port: "of:0000000000000001/5", Ingress: "in0", Egress: "out0", CapacityBitsPerSecond: 8_000_000,
		BufferPackets: 100, MarkThresholdPackets: 20, BacklogPackets: 12, SentBytes: 999, MarkedPackets: 4,
		DroppedPackets: 3, DroppedFullPackets: 2, DroppedNotEctPackets: 1,
	}
}

func text(t *testing.T, collector prometheus.Collector) string {
	t.Helper()
	var out strings.Builder
	if err := Write(&out, collector); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func expect(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s: missing in\n%s", line, text)
		}
	}
}

func TestHost(t *testing.T) {
	expect(t, text(t, host(aHost(), nil)),
		`sluice_agent_info{host="h1",limiter="shape",version="1.2.3"} 1`,
		`sluice_agent_tau_seconds 0.0015`,
		`sluice_agent_controller_connected{controller="10.9.0.1:6680"} 1`,
		`sluice_agent_controller_connected{controller="10.9.0.2:6680"} 0`,
		`sluice_agent_decisions_refused_total{reason="stale"} 2`,
		`sluice_agent_certificate_not_after_timestamp_seconds{from="/etc/sluice/h1.pem",of="agent"} 1.234567e+06`,
		`sluice_agent_certificate_not_after_timestamp_seconds{from="10.9.0.1:6680",of="controller"} 2.345678e+06`,
		`sluice_uplink_capacity_bytes_per_second{interface="eth0"} 1e+07`,
		`sluice_endpoint_info{endpoint="vm0",mac="02:00:00:00:00:01",tenant="gold"} 1`,
		`sluice_endpoint_limit_bytes_per_second{endpoint="vm0"} 5e+06`,
		`sluice_endpoint_offered_bytes_total{endpoint="vm0"} 1234`,
		`sluice_endpoint_refused_packets_total{endpoint="vm0",reason="spoofed"} 7`,
		`sluice_endpoint_refused_connections_total{endpoint="vm0"} 3`,
		`sluice_endpoint_level_sent_bytes_total{endpoint="vm0",level="1"} 20`,
		`sluice_class_sent_bytes_total{endpoint="vm0",port=""} 1000`,
		`sluice_class_limit_bytes_per_second{endpoint="vm0",port="of:0000000000000001/5"} 1e+06`,
		`sluice_class_ce_ratio{endpoint="vm0",port="of:0000000000000001/5"} 0.25`)
}

// Of pairs there may be thousands.
func TestPairsHaveNoSeries(t *testing.T) {
	if text := text(t, host(aHost(), nil)); strings.Contains(text, "10.0.0.9") {
		t.Error(text)
	}
}

func TestPortWithOneQueue(t *testing.T) {
	status := aPort()
	status.Certificates = aHost().Certificates
	expect(t, text(t, Port{Read: func() (port.Status, error) { return status, nil }}),
		`sluice_agent_certificate_not_after_timestamp_seconds{from="/etc/sluice/h1.pem",of="agent"} 1.234567e+06`,
		`sluice_port_capacity_bytes_per_second{port="of:0000000000000001/5"} 1e+06`,
		`sluice_port_backlog_packets{level="0",port="of:0000000000000001/5"} 12`,
		`sluice_port_dropped_packets_total{level="0",port="of:0000000000000001/5",reason="full"} 2`,
		`sluice_port_dropped_packets_total{level="0",port="of:0000000000000001/5",reason="not-ect"} 1`)
}

func TestPortWithLevelsAndCaps(t *testing.T) {
	status := aPort()
	status.Levels = []port.LevelStatus{
		{DSCP: 16, QueueCounters: port.QueueCounters{BacklogPackets: 2}}, {QueueCounters: port.QueueCounters{BacklogPackets: 10}},
	}
	status.Background = &port.BackgroundStatus{Queues: []port.BackgroundQueueStatus{
		{Downstream: "of:0000000000000002/3", CapBitsPerSecond: 4_000_000},
		{Downstream: "of:0000000000000002/3", Draining: true},
	}}
	expect(t, text(t, Port{Read: func() (port.Status, error) { return status, nil }}),
		`sluice_port_backlog_packets{level="0",port="of:0000000000000001/5"} 2`,
		`sluice_port_backlog_packets{level="1",port="of:0000000000000001/5"} 10`,
		`sluice_port_background_cap_bytes_per_second{downstream="of:0000000000000002/3",port="of:0000000000000001/5"} 500000`)
}

func TestNamesFollowTheConventions(t *testing.T) {
	for _, collector := range []prometheus.Collector{
		host(aHost(), nil), Port{Read: func() (port.Status, error) { return aPort(), nil }},
	} {
		problems, err := testutil.GatherAndLint(registry(collector))
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range problems {
			t.Errorf("%s: %s", problem.Metric, problem.Text)
		}
	}
}

func TestAFailedCollectionIsAnError(t *testing.T) {
	if err := Write(io.Discard, host(agent.Status{}, errors.New("the engine has ended"))); err == nil {
		t.Error("no error")
	}
}

func TestFileIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sluice.prom")
	if err := os.WriteFile(path, []byte("former"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, host(aHost(), nil)); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(written), "former") || !strings.Contains(string(written), "sluice_agent_info") {
		t.Errorf("%s, %v", written, err)
	}
}

func get(t *testing.T, address, path string) (int, string) {
	t.Helper()
	answer, err := http.Get("http://" + address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func TestServer(t *testing.T) {
	var failure error
	address := freeAddress(t)
	collector := Host{Read: func() (agent.Status, error) { return aHost(), failure }}
	server, err := Serve(address, collector, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if code, body := get(t, address, "/metrics"); code != http.StatusOK || !strings.Contains(body, "sluice_agent_info") {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := get(t, address, "/"); code != http.StatusNotFound {
		t.Errorf("/: %d", code)
	}
	failure = errors.New("the engine has ended")
	if code, _ := get(t, address, "/metrics"); code != http.StatusInternalServerError {
		t.Errorf("a failure: %d", code)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		t.Error("closed, and still answers")
	}
}

func TestAddressInUseIsNamed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	address := listener.Addr().String()
	if _, err := Serve(address, host(aHost(), nil), slog.New(slog.DiscardHandler)); err == nil ||
		!strings.Contains(err.Error(), address) || !strings.Contains(err.Error(), "metricsAddress") {
		t.Error(err)
	}
}

func TestNothingIsServedByDefault(t *testing.T) {
	server, err := Serve("", host(aHost(), nil), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}
