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

func TestGrantsComeInOrderAndEndWithTheirNode(t *testing.T) {
	b := newBookTest(t)
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
	b.book.expire(b.now)
	slices.Sort(b.notes.voided)
	if !slices.Equal(b.notes.voided, []string{"a", "b"}) {
		t.Errorf("voided %v, want both nodes'", b.notes.voided)
	}
}

// A controller that has lost its memory must not leave grants behind that it never lifts.
func TestANewSessionVoidsGrants(t *testing.T) {
	b := newBookTest(t)
	m := message("a", 1, 1)
	m.Body = &pb.ControllerMessage_Welcome{Welcome: &pb.Welcome{ProtocolVersion: protocolVersion}}
	b.receive(m, 0)
	if !slices.Equal(b.notes.voided, []string{"a"}) {
		t.Errorf("voided %v, want a's", b.notes.voided)
	}
}

func TestSenselessGrantsAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*pb.WindowGrant){
		"no window":         func(g *pb.WindowGrant) { g.Window = nil },
		"not released":      func(g *pb.WindowGrant) { g.Window = &pb.WindowGrant_Released{} },
		"no flow":           func(g *pb.WindowGrant) { g.Flow = nil },
		"an address of 5":   func(g *pb.WindowGrant) { g.Flow.Source = make([]byte, 5) },
		"a port too high":   func(g *pb.WindowGrant) { g.Flow.DestinationPort = 65536 },
		"IPv4 towards IPv6": func(g *pb.WindowGrant) { g.Flow.Destination = append(make([]byte, 15), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBookTest(t)
			m := grants("a", 1, 1, 2920, 2920)
			spoil(m.GetGrants().Grants[1])
			if _, err := b.book.receive(b.now, m); err == nil {
				t.Error("accepted")
			}
			b.expect()
		})
	}
}

func TestFlowSettings(t *testing.T) {
	b := newBookTest(t)
	m := settings("a", 1, 1)
	m.GetSettings().HandshakeWaitMicros = 200_000
	if _, err := b.book.receive(0, m); err == nil {
		t.Error("a wait of 200 ms was accepted")
	}
	s, err := settingsOf(&pb.HostSettings{
		Law: pb.HostSettings_TWO_TIME_SCALE, ControlPeriodMicros: 5000,
		ReportFlows: true, HandshakeWaitMicros: 5000, ReportLosses: true, SignConnections: true,
	})
	if err != nil || !s.ReportFlows || !s.ReportLosses || !s.SignConnections || s.HandshakeWaitNanos != 5_000_000 {
		t.Errorf("%+v, %v", s, err)
	}
}

func flowNews(port uint16, state model.FlowState, delivered uint64) model.FlowNews {
	return model.FlowNews{Flow: testFlow(port), State: state, DeliveredBytes: delivered, RoundTripNanos: 400_000}
}

func TestAFlowReportSaysWhatIsAcknowledged(t *testing.T) {
	news := flowNews(1, model.FlowEstablished, 7)
	news.AcknowledgedSequence = 1<<32 - 2
	report := flowReportOf(flowReport{news: []model.FlowNews{news}}, 0)
	if n := report.GetFlows()[0]; n.AcknowledgedSequence == nil || n.GetAcknowledgedSequence() != 1<<32-2 {
		t.Errorf("%v", n)
	}
}

// A report may wait for a slow controller: what counts is when it is made.
func TestAFlowReportSaysWhenTheLatestWasAcknowledged(t *testing.T) {
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
			news := flowNews(1, model.FlowEstablished, 7)
			news.ProgressNanos = c.progress
			report := flowReportOf(flowReport{news: []model.FlowNews{news}}, made)
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
		line := "news"
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
	s := newSite(t)
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	s.client.ObserveFlows([]model.FlowNews{flowNews(9, model.FlowOpened, 0)}) // nobody asked
	s.client.WatchFlows(true)
	last := func(want string) {
		t.Helper()
		eventually(t, want, func() bool {
			got := f.reported()
			return len(got) > 0 && got[len(got)-1] == want
		})
	}
	last("all") // that there are none is news as well
	s.client.ObserveFlows([]model.FlowNews{flowNews(1, model.FlowOpened, 0), flowNews(2, model.FlowOpened, 0)})
	last("news 1:OPENED:0 2:OPENED:0")
	s.client.ObserveFlows([]model.FlowNews{flowNews(1, model.FlowEstablished, 1448)})
	last("news 1:ESTABLISHED:1448")
	s.client.ObserveFlows([]model.FlowNews{flowNews(2, model.FlowClosed, 7)})
	last("news 2:CLOSED:7")
	f.server.Stop()
	eventually(t, "disconnected", func() bool { return !s.connected() })
	s.client.ObserveFlows([]model.FlowNews{flowNews(3, model.FlowOpened, 0), flowNews(1, model.FlowEstablished, 2896)})
	f.start(t, s.authority, "controller")
	last("all 1:ESTABLISHED:2896 3:OPENED:0")
	s.client.WatchFlows(false)
	s.client.ObserveFlows([]model.FlowNews{flowNews(1, model.FlowEstablished, 9999)})
	s.client.WatchFlows(true)
	last("all")
}

func TestASlowControllerHearsTheLatestOfFlows(t *testing.T) {
	var b flowBox
	b.watch(true)
	b.take()
	for delivered := range uint64(1000) {
		b.add([]model.FlowNews{flowNews(1, model.FlowEstablished, delivered)})
	}
	b.add([]model.FlowNews{flowNews(1, model.FlowClosed, 1000), flowNews(1, model.FlowOpened, 0)})
	report, _ := b.take()
	want := []model.FlowNews{flowNews(1, model.FlowEstablished, 999), flowNews(1, model.FlowClosed, 1000),
		flowNews(1, model.FlowOpened, 0)}
	if report.complete || !slices.Equal(report.news, want) {
		t.Errorf("%+v", report)
	}
	// Ends and beginnings cannot be left out; too many of them are told as what is left in the end.
	for range maxWaitingFlowNews {
		b.add([]model.FlowNews{flowNews(2, model.FlowOpened, 0), flowNews(2, model.FlowClosed, 1)})
	}
	report, _ = b.take()
	if !report.complete || len(report.news) != 1 || report.news[0].Flow != testFlow(1) {
		t.Errorf("complete %v, %d flows", report.complete, len(report.news))
	}
	if _, some := b.take(); some {
		t.Error("told twice")
	}
}
