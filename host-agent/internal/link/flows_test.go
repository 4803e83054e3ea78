// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// testFlow is one with a port of its own.
func testFlow(port uint16) model.FlowID {
	return model.FlowID{
		Source: netip.MustParseAddr("10.0.0.1"), SourcePort: port,
		Destination: netip.MustParseAddr("10.0.0.5"), DestinationPort: 5001,
	}
}

func grants(node string, term, sequence uint64, windows ...uint64) *pb.ControllerMessage {
	m := message(node, term, sequence)
	body := &pb.WindowGrants{}
	for i, window := range windows {
		body.Grants = append(body.Grants, &pb.WindowGrant{
			Flow:   flowIDOf(testFlow(uint16(i))),
			Window: &pb.WindowGrant_WindowBytes{WindowBytes: window},
		})
	}
	m.Body = &pb.ControllerMessage_Grants{Grants: body}
	return m
}

func TestGrantsApplyInOrderAndEndWithTheirNode(t *testing.T) {
	b := newTableTest(t)
	b.receive(grants("a", 1, 1, 2920, 0), 0,
		"a grant 10.0.0.1:* > 10.0.0.5:5001 2920", "a grant 10.0.0.1:1 > 10.0.0.5:5001 0")
	b.receive(grants("a", 1, 1, 1460), 1)
	// Of two switches' masters on one node each has its own term.
	other := grants("a", 9, 1, 0)
	other.GetGrants().Grants[0].Flow = flowIDOf(testFlow(99))
	b.receive(other, 0, "a grant 10.0.0.1:99 > 10.0.0.5:5001 0")
	released := grants("a", 1, 2, 1)
	released.GetGrants().Grants[0].Window = &pb.WindowGrant_Released{Released: true}
	b.receive(released, 0, "a released 10.0.0.1:* > 10.0.0.5:5001")
	b.receive(grants("b", 1, 1, 1460), 0, "b grant 10.0.0.1:* > 10.0.0.5:5001 1460")
	if len(b.notes.voided) != 0 {
		t.Errorf("voided %v too early", b.notes.voided)
	}
	b.now = testLease.Nanoseconds()
	b.table.expire(b.now)
	slices.Sort(b.notes.voided)
	if !slices.Equal(b.notes.voided, []string{"a", "b"}) {
		t.Errorf("voided %v, want both nodes'", b.notes.voided)
	}
}

// A controller that has lost its memory must not leave grants behind that it never releases.
func TestANewSessionVoidsGrants(t *testing.T) {
	b := newTableTest(t)
	m := message("a", 1, 1)
	m.Body = &pb.ControllerMessage_Welcome{Welcome: &pb.Welcome{ProtocolVersion: protocolVersion}}
	b.receive(m, 0)
	if !slices.Equal(b.notes.voided, []string{"a"}) {
		t.Errorf("voided %v, want a's", b.notes.voided)
	}
}

func TestMalformedGrantsAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*pb.WindowGrant){
		"no window":         func(g *pb.WindowGrant) { g.Window = nil },
		"not released":      func(g *pb.WindowGrant) { g.Window = &pb.WindowGrant_Released{} },
		"no flow":           func(g *pb.WindowGrant) { g.Flow = nil },
		"an address of 5":   func(g *pb.WindowGrant) { g.Flow.Source = make([]byte, 5) },
		"a port too high":   func(g *pb.WindowGrant) { g.Flow.DestinationPort = 65536 },
		"IPv4 towards IPv6": func(g *pb.WindowGrant) { g.Flow.Destination = append(make([]byte, 15), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newTableTest(t)
			m := grants("a", 1, 1, 2920, 2920)
			spoil(m.GetGrants().Grants[1])
			if _, err := b.table.receive(b.now, m); err == nil {
				t.Error("accepted")
			}
			b.expect()
		})
	}
}

func TestFlowSettings(t *testing.T) {
	b := newTableTest(t)
	m := settings("a", 1, 1)
	m.GetSettings().HandshakeWaitMicros = 200_000
	if _, err := b.table.receive(0, m); err == nil {
		t.Error("a wait of 200 ms was accepted")
	}
	s, err := settingsOf(&pb.HostSettings{
		Law: pb.HostSettings_LAW_SLUICE, ControlPeriodMicros: 5000, NoticeTransport: pb.HostSettings_NOTICE_TRANSPORT_LINK,
		ReportFlows: true, HandshakeWaitMicros: 5000, ReportLosses: true, SignConnections: true,
	})
	if err != nil || !s.ReportFlows || !s.ReportLosses || !s.SignConnections || s.HandshakeWaitNanos != 5_000_000 {
		t.Errorf("%+v, %v", s, err)
	}
}

func flowUpdate(port uint16, state model.FlowState, delivered uint64) model.FlowUpdate {
	return model.FlowUpdate{Flow: testFlow(port), State: state, DeliveredBytes: delivered, RoundTripNanos: 400_000}
}

func TestAFlowReportHasWhatIsAcknowledged(t *testing.T) {
	update := flowUpdate(1, model.FlowEstablished, 7)
	update.AcknowledgedSequence = 1<<32 - 2
	report := flowReportOf(flowReport{updates: []model.FlowUpdate{update}}, 0)
	if n := report.GetFlows()[0]; n.AcknowledgedSequence == nil || n.GetAcknowledgedSequence() != 1<<32-2 {
		t.Errorf("%v", n)
	}
}

// A report may wait for a slow controller: what counts is when it is made.
func TestAFlowReportHasTheAgeOfTheLatestAcknowledgement(t *testing.T) {
	const made = int64(time.Hour)
	for name, c := range map[string]struct {
		progress int64
		want     uint64
	}{
		"5 ms ago":       {made - 5_000_000, 5_000_000},
		"just now":       {made, 0},
		"never":          {0, 0},
		"to come":        {made + 1, 0},
		"10 minutes ago": {made - 600_000_000_000, 600_000_000_000},
		"an hour ago":    {1, 600_000_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			update := flowUpdate(1, model.FlowEstablished, 7)
			update.ProgressNanos = c.progress
			report := flowReportOf(flowReport{updates: []model.FlowUpdate{update}}, made)
			if got := report.GetFlows()[0].GetProgressAgeNanos(); got != c.want {
				t.Errorf("%d ns ago, want %d", got, c.want)
			}
		})
	}
}

// reported are the FlowReports received, as text.
func (f *fakeController) reported() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var lines []string
	for _, m := range f.received {
		report := m.GetFlowReport()
		if report == nil {
			continue
		}
		line := "update"
		if report.GetComplete() {
			line = "all"
		}
		for _, n := range report.GetFlows() {
			line += fmt.Sprintf(" %d:%v:%d", n.GetFlow().GetSourcePort(), n.GetState(), n.GetDeliveredBytes())
		}
		lines = append(lines, line)
	}
	return lines
}

func TestFlowsAreReported(t *testing.T) {
	s := newLinkFixture(t)
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	s.client.ObserveFlows([]model.FlowUpdate{flowUpdate(9, model.FlowOpened, 0)}) // not enabled
	s.client.WatchFlows(true)
	last := func(want string) {
		t.Helper()
		eventually(t, want, func() bool {
			got := f.reported()
			return len(got) > 0 && got[len(got)-1] == want
		})
	}
	last("all") // that there are none is reported as well
	s.client.ObserveFlows([]model.FlowUpdate{flowUpdate(1, model.FlowOpened, 0), flowUpdate(2, model.FlowOpened, 0)})
	last("update 1:STATE_OPENED:0 2:STATE_OPENED:0")
	s.client.ObserveFlows([]model.FlowUpdate{flowUpdate(1, model.FlowEstablished, 1448)})
	last("update 1:STATE_ESTABLISHED:1448")
	s.client.ObserveFlows([]model.FlowUpdate{flowUpdate(2, model.FlowClosed, 7)})
	last("update 2:STATE_CLOSED:7")
	f.server.Stop()
	eventually(t, "disconnected", func() bool { return !s.connected() })
	s.client.ObserveFlows([]model.FlowUpdate{flowUpdate(3, model.FlowOpened, 0), flowUpdate(1, model.FlowEstablished, 2896)})
	f.start(t, s.authority, "controller")
	last("all 1:STATE_ESTABLISHED:2896 3:STATE_OPENED:0")
	s.client.WatchFlows(false)
	s.client.ObserveFlows([]model.FlowUpdate{flowUpdate(1, model.FlowEstablished, 9999)})
	s.client.WatchFlows(true)
	last("all")
}

func TestASlowControllerReceivesTheLatestOfFlows(t *testing.T) {
	var b flowOutbox
	b.watch(true)
	b.take()
	for delivered := range uint64(1000) {
		b.add([]model.FlowUpdate{flowUpdate(1, model.FlowEstablished, delivered)})
	}
	b.add([]model.FlowUpdate{flowUpdate(1, model.FlowClosed, 1000), flowUpdate(1, model.FlowOpened, 0)})
	report, _ := b.take()
	want := []model.FlowUpdate{flowUpdate(1, model.FlowEstablished, 999), flowUpdate(1, model.FlowClosed, 1000),
		flowUpdate(1, model.FlowOpened, 0)}
	if report.complete || !slices.Equal(report.updates, want) {
		t.Errorf("%+v", report)
	}
	// Ends and beginnings cannot be left out; too many of them become a complete report.
	for range maxWaitingFlowUpdates {
		b.add([]model.FlowUpdate{flowUpdate(2, model.FlowOpened, 0), flowUpdate(2, model.FlowClosed, 1)})
	}
	report, _ = b.take()
	if !report.complete || len(report.updates) != 1 || report.updates[0].Flow != testFlow(1) {
		t.Errorf("complete %v, %d flows", report.complete, len(report.updates))
	}
	if _, some := b.take(); some {
		t.Error("reported twice")
	}
}
