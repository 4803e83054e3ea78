// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// sized has its flows' sizes reported.
type sized struct {
	*fixture
	events *Events
}

func withSizes(t *testing.T) *sized {
	t.Helper()
	f := withLevels(t, testLevels)
	events := openedEvents(f)
	f.ReportSizes(true)
	return &sized{f, events}
}

// announced are the flows that the programs have announced since the last call.
func (s *sized) announced() (flows []FlowKey) {
	s.t.Helper()
	for {
		event, some, err := s.events.Read()
		if err != nil {
			s.t.Fatal(err)
		}
		if !some {
			return flows
		}
		if event.Large != nil {
			flows = append(flows, *event.Large)
		}
	}
}

// size reads what a flow has sent.
func (s *sized) size(key FlowKey) (flow SizedFlow, found bool) {
	s.t.Helper()
	if err := s.ReadSizes(key.Endpoint(), func(reader SizeReader) { flow, found = reader.SizeOf(key) }); err != nil {
		s.t.Fatal(err)
	}
	return flow, found
}

// expectEnded checks how many flows were counted, and of which sizes.
func (s *sized) expectEnded(what string, bytes ...uint64) {
	s.t.Helper()
	var want, got model.FlowSizeCounts
	for _, size := range bytes {
		want.Add(size)
	}
	if err := s.EndedFlows(&got); err != nil {
		s.t.Fatal(err)
	}
	if got != want {
		s.t.Errorf("%s: %v flows ended, want %v", what, got, want)
	}
}

func keyOf(frame testnet.Frame) FlowKey {
	return FlowKeyOf(endpointIndex, frame.Protocol, model.FlowID{
		Source: frame.Source, SourcePort: frame.SourcePort, Destination: frame.Destination, DestinationPort: frame.Port,
	})
}

func TestALargeFlowIsAnnouncedOnceAndStillCounted(t *testing.T) {
	for name, frame := range both() {
		t.Run(name, func(t *testing.T) {
			s := withSizes(t)
			for range 6 {
				s.fromVM(frame)
			}
			if announced := s.announced(); len(announced) != 0 {
				t.Errorf("announced %v before it passed the last threshold", announced)
			}
			for range 4 {
				s.fromVM(frame)
			}
			announced := s.announced()
			if len(announced) != 1 || announced[0] != keyOf(frame) || announced[0].Flow() != keyOf(frame).Flow() || announced[0].Endpoint() != endpointIndex {
				t.Fatalf("announced %v, want %v once", announced, keyOf(frame))
			}
			if flow, found := s.size(announced[0]); !found || flow.SentBytes != 10_000 || flow.Ended || flow.LastNanos == 0 {
				t.Errorf("%+v, %v; want 10000 bytes", flow, found)
			}
			frame.TCPFlags |= testnet.FIN
			s.fromVM(frame)
			if flow, found := s.size(announced[0]); !found || flow.SentBytes != 11_000 || !flow.Ended {
				t.Errorf("%+v, %v; want 11000 bytes and an end", flow, found)
			}
			s.expectEnded("the agent counts what was announced")
		})
	}
}

// What finds no priority leaves by the last level, and is no larger for that.
func TestADemotedFlowIsNotLarge(t *testing.T) {
	s := withSizes(t)
	s.SetPriority(endpointIndex, 0, htb.Police{BytesPerSecond: 1, Depth: time.Second})
	frame := both()["IPv4"]
	for range 5 {
		s.fromVM(frame)
	}
	if announced := s.announced(); len(announced) != 0 {
		t.Errorf("announced %v", announced)
	}
	frame.TCPFlags |= testnet.RST
	s.fromVM(frame)
	s.expectEnded("all of it counts", 6000)
	s.fromVM(frame)
	s.expectEnded("once", 6000)
}

func TestASmallFlowIsCountedWhenItEnds(t *testing.T) {
	frame := both()["IPv4"]
	for name, c := range map[string]struct {
		end   func(s *sized)
		bytes []uint64
	}{
		"it sends on":         {func(*sized) {}, nil},
		"a reset by its peer": {func(s *sized) { s.toVM(tcpIn(testnet.RST, testnet.NotECT)) }, []uint64{2000}},
		"it begins anew":      {func(s *sized) { s.aged(frame, 2*testIdle); s.fromVM(frame) }, []uint64{2000}},
		"a reset, and it begins anew": {func(s *sized) {
			s.toVM(tcpIn(testnet.RST, testnet.NotECT))
			s.aged(frame, 2*testIdle)
			s.fromVM(frame)
		}, []uint64{2000}},
		"reports are off": {func(s *sized) {
			s.ReportSizes(false)
			s.toVM(tcpIn(testnet.RST, testnet.NotECT))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := withSizes(t)
			s.fromVM(frame)
			s.fromVM(frame)
			c.end(s)
			s.expectEnded(name, c.bytes...)
		})
	}
}

// ICMP has no ports, and no FlowId.
func TestOnlyTCPAndUDPHaveSizes(t *testing.T) {
	s := withSizes(t)
	frame := both()["IPv4"]
	frame.Protocol = 1
	for range 10 {
		s.fromVM(frame)
	}
	s.aged(testnet.Frame{Source: own4, Destination: peer4, Protocol: 1}, 2*testIdle)
	s.fromVM(frame)
	s.expectEnded("none")
	if announced := s.announced(); len(announced) != 0 {
		t.Errorf("announced %v", announced)
	}
}

func TestAFlowIsAnnouncedAgainWhenReportsRestart(t *testing.T) {
	s := withSizes(t)
	frame := both()["IPv4"]
	for range 2 * mostEpoch {
		for range 8 {
			s.fromVM(frame)
		}
		if announced := s.announced(); len(announced) != 1 {
			t.Fatalf("announced %d flows, want 1", len(announced))
		}
		s.ReportSizes(false)
		s.fromVM(frame)
		if _, found := s.size(keyOf(frame)); found || len(s.announced()) != 0 {
			t.Fatal("announced a flow while reports are off")
		}
		s.ReportSizes(true)
	}
}

// A VM that begins large flows without end has a part of the ring.
func TestAnnouncementsOfAnEndpointAreRateLimited(t *testing.T) {
	s := withSizes(t)
	s.endpoints.At(endpointIndex).Announcements.ByteTicks = byteTicks(1)
	s.SetThresholds([]uint64{1, 2})
	frame := both()["IPv4"]
	for port := range uint16(20) {
		frame.SourcePort = 5000 + port
		s.fromVM(frame)
		s.fromVM(frame)
	}
	if announced := len(s.announced()); announced != 2 {
		t.Errorf("announced %d flows, want the 2 that there is room for", announced)
	}
	s.endpoints.At(endpointIndex).Announcements.ByteTicks = 0
	s.fromVM(frame)
	if announced := s.announced(); len(announced) != 1 || announced[0] != keyOf(frame) {
		t.Errorf("announced %v later, want %v", announced, keyOf(frame))
	}
}

// The programs' bins are the agent's, of which a controller gets the largest size.
func TestSizeBinsAgreeBetweenProgramAndAgent(t *testing.T) {
	s := withSizes(t)
	frame := both()["IPv4"]
	var want []uint64
	for _, bytes := range []uint64{1, 3, 4, 5, 7, 8, 1000, 1023, 1024, 1<<20 - 1, 1 << 20, 1<<32 - 1, 1 << 33, 1<<41 - 1, 1 << 41, 1 << 55} {
		s.SetThresholds([]uint64{1 << 56, 1 << 57})
		s.fromVM(frame)
		s.change(frame, func(flow *bpfFlow) { flow.Levelled = bytes })
		s.toVM(tcpIn(testnet.RST, testnet.NotECT))
		want = append(want, bytes)
		s.change(frame, func(flow *bpfFlow) { flow.Levelled = 0 })
	}
	s.expectEnded("all", want...)
}

func TestAFlowKeepsItsLevelWhenThresholdsRise(t *testing.T) {
	f := withLevels(t, testLevels)
	frame := both()["IPv4"]
	for range 4 {
		f.fromVM(frame)
	}
	f.SetThresholds([]uint64{50_000, 100_000})
	expectOnly(t, frame.Build(), f.fromVM(frame).frame, 16)
	fresh := frame
	fresh.SourcePort++
	for range 7 {
		expectOnly(t, fresh.Build(), f.fromVM(fresh).frame, 24)
	}
	f.SetThresholds([]uint64{1000, 2000})
	expectOnly(t, fresh.Build(), f.fromVM(fresh).frame, 8)
}
