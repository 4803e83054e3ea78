// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"slices"
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

func TestEndpointsOfATrunkArePolicedApart(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(c *config.Host) { onTrunk(c); policing(c) }).run()
	limits := map[string]uint64{inFirst: 2_000_000, inSecond: 8_000_000}
	for name, limit := range limits {
		h.limit(name, limit)
	}
	flood(t, h.vm, testnet.Tagged(outward(ownIP, peerIP, testnet.NotECT), firstVLAN),
		testnet.Tagged(outward(secondIP, peerIP, testnet.NotECT), secondVLAN))
	// The second's bucket drops what comes beyond four times as much.
	testnet.Until(t, "each bucket drops for itself", func() bool {
		first, second := h.endpointNamed(inFirst), h.endpointNamed(inSecond)
		return first.DroppedPackets > 1000 && second.DroppedPackets > 1000 &&
			float64(passed(second)) > 3.4*float64(passed(first)) && float64(passed(second)) < 4.6*float64(passed(first))
	})
	for name, limit := range limits {
		if e := h.endpointNamed(name); e.RateBitsPerSecond != limit || e.Groups[0].DroppedPackets != 0 {
			t.Errorf("%s: %d bit/s, %d dropped in its class: want %d, and all dropped by the bucket",
				name, e.RateBitsPerSecond, e.Groups[0].DroppedPackets, limit)
		}
	}
}

// passed is how many packets of an endpoint its limit has let through.
func passed(e endpoints.Status) uint64 { return e.TxPackets - e.DroppedPackets }

// A flow in each VLAN, between the same addresses' ports, is a flow of its own.
func TestLevelsAreWrittenBehindATrunksTags(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(c *config.Host) { onTrunk(c); threeLevels(c) }).run()
	far, vm, sender := testnet.NewCapture(t, h.far), testnet.NewCapture(t, h.vm), testnet.NewSender(t, h.vm)
	for i, want := range []uint8{24, 24, 16, 16, 8, 8} {
		for own, vlan := range map[netip.Addr]uint16{ownIP: firstVLAN, secondIP: secondVLAN} {
			sender.Send(testnet.Tagged(withDSCP(outward(own, peerIP, testnet.CE), 46), vlan))
			inner, _ := testnet.Untagged(far.Next(eventually, inVLAN(testnet.UDP, vlan)))
			if dscp, ecn := testnet.DSCPOf(inner), testnet.ECNOf(inner); dscp != want || ecn != testnet.ECT0 || !testnet.HeaderIntact(inner) {
				t.Errorf("packet %d in VLAN %d: DSCP %d, ECN %d, header intact %v; want DSCP %d",
					i, vlan, dscp, ecn, testnet.HeaderIntact(inner), want)
			}
		}
	}
	testnet.NewSender(t, h.far).Send(testnet.Tagged(withDSCP(inward(peerIP, secondIP, testnet.CE), 16), secondVLAN))
	inner, _ := testnet.Untagged(vm.Next(eventually, func(frame []byte) bool {
		return inVLAN(testnet.UDP, secondVLAN)(frame) && frame[5] == 1
	}))
	if dscp := testnet.DSCPOf(inner); dscp != 0 {
		t.Errorf("the VM sees DSCP %d", dscp)
	}
	for _, name := range []string{inFirst, inSecond} {
		if e := h.endpointNamed(name).Levels; e == nil || !slices.Equal(e.SentBytes, []uint64{2000, 2000, 2000}) || e.OwnDSCPPackets != 6 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// HyGenICC reads marks behind a tag, lowers the rate of the endpoint in that VLAN alone, and returns marks there.
func TestHyGenICCOnATrunk(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(c *config.Host) { onTrunk(c); hygenicc(config.FeedbackBit)(c) }).run()
	vm, far, capture := testnet.NewSender(t, h.vm), testnet.NewSender(t, h.far), testnet.NewCapture(t, h.far)
	out := testnet.Frame{Source: ownIP, Destination: peerIP, Protocol: testnet.TCP,
		SourcePort: 2000, Port: 5001, TCPFlags: testnet.ACK, PayloadBytes: 900}.Build()
	copy(out, []byte{2, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 1})
	back := testnet.Frame{Source: peerIP, Destination: ownIP, Protocol: testnet.TCP, ReservedBit: true,
		SourcePort: 5001, Port: 2000, TCPFlags: testnet.ACK}.Build()
	copy(back, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 5})
	held := func(name string) bool {
		return slices.ContainsFunc(h.endpointNamed(name).Groups, func(g endpoints.GroupStatus) bool {
			return g.Port == model.AnyPort && g.RateBitsPerSecond < 50_000_000
		})
	}
	testnet.Until(t, "the endpoint is held", func() bool {
		vm.Send(testnet.Tagged(out, firstVLAN))
		far.Send(testnet.Tagged(back, firstVLAN))
		return held(inFirst)
	})
	if held(inSecond) {
		t.Error("the other VLAN's endpoint is held, too")
	}
	capture.Waiting(func([]byte) bool { return true })
	testnet.Until(t, "marks go back in their VLAN", func() bool {
		far.Send(testnet.Tagged(inward(peerIP, secondIP, testnet.CE), secondVLAN))
		return len(capture.Waiting(inVLAN(testProtocol, secondVLAN))) > 0
	})
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
