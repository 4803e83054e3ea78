// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	firstVLAN, secondVLAN = 100, 200
	inFirst, inSecond     = "vm0.100", "vm0.200"
)

var secondIP = netip.MustParseAddr("10.0.0.2")

// onTrunk has the VM's interface be a trunk with an endpoint in each of two VLANs.
func onTrunk(c *config.Host) {
	first := c.Endpoints.Static[0]
	first.VLAN = firstVLAN
	second := first
	second.VLAN, second.IPs = secondVLAN, []string{secondIP.String()}
	c.Endpoints.Static = []config.StaticEndpoint{first, second}
}

func (h *host) endpointNamed(name string) endpoints.Status {
	h.t.Helper()
	e, found := h.endpoint(name)
	if !found {
		h.t.Fatalf("there is no endpoint %s", name)
	}
	return e
}

func TestEndpointsOfATrunkAreLimitedAndCheckedApart(t *testing.T) {
	t.Parallel()
	h := newHostWith(t, testnet.Taps, onTrunk).run()
	capture, guest := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.vm)
	for _, stray := range [][]byte{
		testnet.Tagged(outward(secondIP, peerIP, testnet.NotECT), firstVLAN),
		testnet.Tagged(outward(ownIP, peerIP, testnet.NotECT), secondVLAN),
		testnet.Tagged(outward(ownIP, peerIP, testnet.NotECT), 300),
		outward(ownIP, peerIP, testnet.NotECT),
	} {
		guest.Send(stray)
	}
	own := testnet.Tagged(outward(ownIP, peerIP, testnet.NotECT), firstVLAN)
	guest.Send(own)
	if inner, control := testnet.Untagged(capture.Next(eventually, func([]byte) bool { return true })); control != firstVLAN ||
		testnet.ECNOf(inner) != testnet.ECT0 {
		t.Errorf("VLAN %d, ECN %d; want the endpoint's own frame first", control, testnet.ECNOf(inner))
	}
	first, second := h.endpointNamed(inFirst), h.endpointNamed(inSecond)
	if first.VLAN != firstVLAN || first.TxPackets != 1 || first.SpoofedPackets != 1 || second.TxPackets != 0 ||
		second.SpoofedPackets != 1 || h.status().Shim.HeldPackets != 2 {
		t.Errorf("%+v, %+v, %d held", first, second, h.status().Shim.HeldPackets)
	}
	h.limit(inFirst, 2_000_000)
	h.limit(inSecond, 8_000_000)
	stop := testnet.Paced(t, time.Millisecond, func() {
		for range 5 {
			guest.Send(own)
			guest.Send(testnet.Tagged(outward(secondIP, peerIP, testnet.NotECT), secondVLAN))
		}
	})
	testnet.Until(t, "each fills its own class", func() bool {
		first, second = h.endpointNamed(inFirst), h.endpointNamed(inSecond)
		return first.RateBitsPerSecond == 2_000_000 && second.RateBitsPerSecond == 8_000_000 &&
			first.Groups[0].DroppedPackets > 100 && second.Groups[0].DroppedPackets > 100
	})
	capture.Waiting(func([]byte) bool { return true })
	time.Sleep(time.Second) // the measurement's length
	var bytes [2]int
	for _, frame := range capture.Waiting(func([]byte) bool { return true }) {
		if _, vlan := testnet.Untagged(frame); vlan == firstVLAN {
			bytes[0] += len(frame)
		} else {
			bytes[1] += len(frame)
		}
	}
	stop()
	if ratio := float64(bytes[1]) / float64(bytes[0]); ratio < 3.4 || ratio > 4.6 {
		t.Errorf("%v bytes in the VLANs, want one to four", bytes)
	}
}

// The device has the attributes that the lowest limit needs, and its own back when its last endpoint goes.
func TestATrunksSuperPacketsFitItsLowestLimit(t *testing.T) {
	t.Parallel()
	h := newHost(t, onTrunk).run()
	size := func() uint32 { return testnet.Link(t, "vm0").Attrs().GSOMaxSize }
	h.limit(inFirst, 20_000_000)
	alone := size()
	h.limit(inSecond, 40_000_000)
	if both := size(); both != alone {
		t.Errorf("gso_max_size is %d with a higher limit in the other VLAN, was %d", both, alone)
	}
	h.limit(inFirst, 0)
	if lifted := size(); lifted <= alone {
		t.Errorf("gso_max_size stays at %d", lifted)
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	if size() != 65536 {
		t.Errorf("gso_max_size is %d, want what it was", size())
	}
}

// A restart goes on with each of a trunk's endpoints, without a gap.
func TestATrunksEndpointsOutliveARestart(t *testing.T) {
	t.Parallel()
	h := newHost(t, onTrunk).run()
	h.limit(inFirst, 5_000_000)
	h.limit(inSecond, 20_000_000)
	capture, sender := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.vm)
	passes := func() {
		t.Helper()
		for _, stray := range []netip.Addr{secondIP, ownIP} {
			sender.Send(testnet.Tagged(outward(stray, peerIP, testnet.NotECT), firstVLAN))
		}
		inner, _ := testnet.Untagged(capture.Next(eventually, inVLAN(testnet.UDP, firstVLAN)))
		if source := netip.AddrFrom4([4]byte(inner[testnet.EthernetBytes+12:])); source != ownIP {
			t.Errorf("a frame from %s passed, want the endpoint's own alone", source)
		}
	}
	passes()
	h.handOver()
	passes()
	h.run()
	passes()
	first, second := h.endpointNamed(inFirst), h.endpointNamed(inSecond)
	if first.RateBitsPerSecond != 5_000_000 || second.RateBitsPerSecond != 20_000_000 {
		t.Errorf("limits of %d and %d", first.RateBitsPerSecond, second.RateBitsPerSecond)
	}
}

func TestMessagesGoInTheVLANOfATrunksEndpoint(t *testing.T) {
	t.Parallel()
	h := newHost(t, onTrunk).run()
	capture, far := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.far)
	for _, c := range []struct {
		own  netip.Addr
		vlan uint16
	}{{ownIP, firstVLAN}, {secondIP, secondVLAN}} {
		far.Send(testnet.Tagged(inward(peerIP, c.own, testnet.CE), c.vlan))
		capture.Next(eventually, func(frame []byte) bool {
			inner, vlan := testnet.Untagged(frame)
			return vlan == c.vlan && isMarkMessage(inner, peerIP)
		})
	}
	h.expectEchoAnswered(far, capture, func(frame []byte) []byte { return testnet.Tagged(frame, firstVLAN) }, inVLAN(testProtocol, firstVLAN))
}

// What the agent sends to a VM in its peers' name has their tag, be it an endpoint's own or one that `vlans` lets pass.
func TestWhatTheAgentSendsToAVMHasTheConnectionsTag(t *testing.T) {
	for name, change := range map[string]func(*config.Host){"endpoint of a trunk": onTrunk, "vlans: pass": passVLANs} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, change)
			w := &watched{&site{host: h}, &observer{t: t}}
			h.runWith(w.controller.connect)
			w.settings(50 * time.Millisecond)
			vm, far, seen := testnet.NewSender(t, h.vm), testnet.NewSender(t, h.far), testnet.NewCapture(t, h.vm)
			var sequence, acknowledged uint32 = 1000, 5000
			send := func(by *testnet.Sender, outward bool, flags uint8, payload int) {
				frame := testnet.Frame{
					Source: ownIP, Destination: peerIP, Protocol: testnet.TCP, SourcePort: 2000, Port: 5001, TCPFlags: flags,
					Sequence: sequence, Acknowledgement: acknowledged, Window: 60_000, PayloadBytes: payload,
				}
				macs := []byte{2, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 1}
				if !outward {
					frame.Source, frame.Destination, frame.SourcePort, frame.Port = peerIP, ownIP, 5001, 2000
					frame.Sequence, frame.Acknowledgement = acknowledged, sequence
					macs = []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 5}
				}
				built := frame.Build()
				copy(built, macs)
				by.Send(testnet.Tagged(built, firstVLAN))
				sequence += uint32(payload)
			}
			next := func(what string, window uint16) {
				t.Helper()
				inner, vlan := testnet.Untagged(seen.Next(eventually, func(frame []byte) bool {
					inner, _ := testnet.Untagged(frame)
					return testnet.IPProtocol(testnet.TCP)(inner)
				}))
				if vlan != firstVLAN || testnet.WindowOf(inner) != window {
					t.Errorf("%s: VLAN %d, window %d; want %d and %d", what, vlan, testnet.WindowOf(inner), firstVLAN, window)
				}
			}
			send(vm, true, testnet.SYN, 0)
			testnet.Until(t, "the connection is followed", func() bool { return len(h.status().Flows.Connections) == 1 })
			sequence++
			send(far, false, testnet.SYN|testnet.ACK, 0)
			next("a SYN-ACK that has waited", 10*1460)
			acknowledged++
			flow := model.FlowID{Source: ownIP, SourcePort: 2000, Destination: peerIP, DestinationPort: 5001}
			w.grant(flow, 1460)
			testnet.Until(t, "the grant is in force", func() bool { return h.status().Flows.Connections[0].WindowBytes != nil })
			for range 10 { // all that it may
				send(vm, true, testnet.ACK, 1400)
			}
			send(far, false, testnet.ACK, 0)
			next("an acknowledgement under a grant", 1460)
			sent := func() uint64 { return h.status().Endpoints[0].TxPackets }
			before := sent()
			send(vm, true, testnet.ACK, 1400)
			testnet.Until(t, "it has used its grant up", func() bool { return sent() > before })
			w.grant(flow, 20*1460)
			next("a window update", 20*1460)
		})
	}
}

// A VM that tags itself on one host, and one at an access port of the same VLAN on the other.
func TestATrunkAndAnAccessPortReachEachOther(t *testing.T) {
	t.Parallel()
	a := newHost(t, onTrunk)
	a.agents = nil
	a.run()
	sender, vm := testnet.NewSender(t, a.vm), testnet.NewCapture(t, a.vm)
	b := newPeerBehindAccessPort(t, a, firstVLAN)
	answering, inside := testnet.NewSender(t, b.vm), testnet.NewCapture(t, b.vm)
	testnet.Until(t, "either agent has the other's messages", func() bool {
		sender.Send(testnet.Tagged(outward(ownIP, peerIP, testnet.NotECT), firstVLAN))
		answering.Send(inward(peerIP, ownIP, testnet.NotECT))
		return a.status().Feedback.Agents == 1 && b.status().Feedback.Agents == 1
	})
	inside.Next(eventually, udp)
	vm.Next(eventually, inVLAN(testnet.UDP, firstVLAN))
}
