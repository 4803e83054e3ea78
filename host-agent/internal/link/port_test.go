// SPDX-License-Identifier: Apache-2.0

package link

import (
	"crypto/x509"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/certificates"
	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const switchPort model.Port = "of:0000000000000001/5"

// newPortFixture is the linkFixture of an agent that keeps the queue of a switch port, and nothing else.
func newPortFixture(t *testing.T, switches ...string) *linkFixture {
	s := newLinkFixture(t)
	template := &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		URIs: []*url.URL{{Scheme: certificates.HostScheme, Opaque: "wire"}}}
	for _, id := range switches {
		template.URIs = append(template.URIs, &url.URL{Scheme: certificates.SwitchScheme, Opaque: id})
	}
	s.authority.Issue("wire", template)
	s.config.TLS = s.authority.Files("wire")
	s.hello = model.Hello{Host: "wire", AgentVersion: "test", SwitchPorts: []model.Port{switchPort}}
	return s
}

func queues(sent, over, backlog uint64) model.PortObservation {
	return model.PortObservation{IntervalNanos: 5_000_000, Ports: []model.PortQueueSample{{
		Port: switchPort, SentPackets: sent, SentBytes: 1500 * sent, MarkedPackets: over / 2,
		OverThresholdPackets: over, DroppedPackets: 1, BacklogPackets: backlog, BacklogBytes: 1500 * backlog,
	}}}
}

// withBackground are a port's of two levels, of which the last has a queue for each of some downstream ports, that sent
// and hold as much as the whole.
func withBackground(sent, backlog uint64, downstreams ...model.Port) model.PortObservation {
	o := queues(sent, 0, backlog)
	port := &o.Ports[0]
	port.BufferPackets = 100
	last := model.LevelQueueSample{SentPackets: sent, SentBytes: 1500 * sent, DroppedPackets: 1, BacklogPackets: backlog}
	port.Levels = []model.LevelQueueSample{{}, last}
	for _, downstream := range downstreams {
		port.Background = append(port.Background, model.BackgroundQueueSample{
			Downstream: downstream, SentBytes: 1500 * sent, DroppedPackets: 1, BacklogPackets: backlog, CapBitsPerSecond: 7_000_000,
		})
	}
	return o
}

// sums of what a controller received about the port, and the backlog of the last message.
func (f *fakeController) queueTotals() (messages int, total *pb.PortQueueSample, interval uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	total = &pb.PortQueueSample{}
	for _, m := range f.received {
		for _, p := range m.GetPortObservation().GetPorts() {
			messages++
			interval += m.GetPortObservation().GetIntervalNanos()
			total.SentPackets += p.GetSentPackets()
			total.SentBytes += p.GetSentBytes()
			total.MarkedPackets += p.GetMarkedPackets()
			total.OverThresholdPackets += p.GetOverThresholdPackets()
			total.DroppedPackets += p.GetDroppedPackets()
			total.BacklogPackets, total.BacklogBytes = p.GetBacklogPackets(), p.GetBacklogBytes()
		}
	}
	return messages, total, interval
}

func TestQueuesAreReportedToEveryController(t *testing.T) {
	s := newPortFixture(t, "of:0000000000000002", "of:0000000000000001")
	one, two := newFakeController("onos1"), newFakeController("onos2")
	one.start(t, s.authority, "controller")
	two.start(t, s.authority, "controller")
	s.run(one, two)
	eventually(t, "both connected", func() bool {
		states := s.client.Controllers()
		return states[0].Connected && states[1].Connected
	})
	for _, f := range []*fakeController{one, two} {
		hello := f.received[0].GetHello()
		if hello.GetUplink() != nil || len(hello.GetSwitchPorts()) != 1 || hello.GetSwitchPorts()[0] != string(switchPort) {
			t.Errorf("hello %v, want one port and no uplink", hello)
		}
	}
	s.client.ObserveQueues(queues(40, 6, 9))
	s.client.ObserveQueues(model.PortObservation{}) // nothing to report
	s.client.ObserveQueues(queues(2, 0, 0))
	for _, f := range []*fakeController{one, two} {
		eventually(t, "all is reported", func() bool {
			_, total, interval := f.queueTotals()
			return total.GetSentPackets() == 42 && total.GetSentBytes() == 63000 && total.GetMarkedPackets() == 3 &&
				total.GetOverThresholdPackets() == 6 && total.GetDroppedPackets() == 2 &&
				total.GetBacklogPackets() == 0 && interval == 10_000_000
		})
	}
}

func TestQueueSamplesOfAnEndedSessionAreNotReportedInTheNext(t *testing.T) {
	s := newPortFixture(t, "of:0000000000000001")
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	f.server.Stop()
	eventually(t, "disconnected", func() bool { return !s.connected() })
	s.client.ObserveQueues(queues(40, 6, 9))
	f.start(t, s.authority, "controller")
	eventually(t, "connected again", func() bool { return s.connected() && f.sessionCount() == 2 })
	s.client.ObserveQueues(queues(3, 0, 1))
	eventually(t, "later samples are reported", func() bool {
		_, total, _ := f.queueTotals()
		return total.GetSentPackets() > 0
	})
	if _, total, _ := f.queueTotals(); total.GetSentPackets() != 3 {
		t.Errorf("%d packets reported, want 3", total.GetSentPackets())
	}
}

// A controller that does not read delays no other, and receives the sums when it does.
func TestQueuesAddUpForASlowController(t *testing.T) {
	o := newOutbox()
	o.observeQueues(queues(1, 1, 1)) // no session
	o.begin()
	for range 1000 {
		o.observeQueues(queues(40, 6, 9))
	}
	o.observeQueues(queues(2, 0, 4))
	got, some := o.takeQueues()
	want := model.PortQueueSample{Port: switchPort, SentPackets: 40_002, SentBytes: 1500 * 40_002, MarkedPackets: 3000,
		OverThresholdPackets: 6000, DroppedPackets: 1001, BacklogPackets: 4, BacklogBytes: 6000}
	if !some || len(got.Ports) != 1 || !reflect.DeepEqual(got.Ports[0], want) || got.IntervalNanos != 1001*5_000_000 {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, some := o.takeQueues(); some {
		t.Error("reported twice")
	}
}

// Levels and background queues add up likewise; each controller has sums of its own.
func TestLevelsAndBackgroundQueuesAddUp(t *testing.T) {
	one, two := newOutbox(), newOutbox()
	one.begin()
	for _, sample := range []model.PortObservation{
		withBackground(10, 5, "d/1", "d/2"), withBackground(20, 6, "d/2"), withBackground(1, 2, "d/2", "d/3"),
	} {
		two.begin() // what waited is gone
		one.observeQueues(sample)
		two.observeQueues(sample)
	}
	got, _ := one.takeQueues()
	want := withBackground(31, 2, "d/2", "d/3", "d/1").Ports[0]
	want.DroppedPackets, want.Levels[1].DroppedPackets = 3, 3
	want.Background = []model.BackgroundQueueSample{
		{Downstream: "d/2", SentBytes: 1500 * 31, DroppedPackets: 3, BacklogPackets: 2, CapBitsPerSecond: 7_000_000},
		{Downstream: "d/3", SentBytes: 1500, DroppedPackets: 1, BacklogPackets: 2, CapBitsPerSecond: 7_000_000},
		{Downstream: "d/1", SentBytes: 15_000, DroppedPackets: 1},
	}
	if !reflect.DeepEqual(got.Ports[0], want) {
		t.Errorf("%+v, want %+v", got.Ports[0], want)
	}
	latest, _ := two.takeQueues()
	if want := withBackground(1, 2, "d/2", "d/3").Ports[0]; !reflect.DeepEqual(latest.Ports[0], want) {
		t.Errorf("another controller's %+v, want %+v", latest.Ports[0], want)
	}
	message := portObservationOf(got).GetPorts()[0]
	if message.GetBufferPackets() != 100 || len(message.GetLevels()) != 2 || message.GetLevels()[1].GetSentBytes() != 1500*31 ||
		message.GetLevels()[1].GetDroppedPackets() != 3 || message.GetLevels()[1].GetBacklogPackets() != 2 ||
		message.GetLevels()[1].GetSentPackets() != 31 {
		t.Errorf("%v", message)
	}
	first := message.GetBackground()[0]
	if len(message.GetBackground()) != 3 || first.GetDownstream() != "d/2" || first.GetSentBytes() != 1500*31 ||
		first.GetDroppedPackets() != 3 || first.GetBacklogPackets() != 2 || first.GetCapBitsPerSecond() != 7_000_000 {
		t.Errorf("%v", message.GetBackground())
	}
}

func TestACertificateMustNameTheSwitch(t *testing.T) {
	s := newPortFixture(t, "of:0000000000000002")
	s.config.Controllers = []string{"127.0.0.1:1"}
	s.config.Lease = time.Second
	_, err := New(s.config, s.hello, s.notes)
	if err == nil || !strings.Contains(err.Error(), "URI:sluice-switch:of:0000000000000001") ||
		!strings.Contains(err.Error(), s.config.TLS.Certificate) {
		t.Errorf("%v, want a refusal with the remedy", err)
	}
}
