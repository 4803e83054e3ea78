// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

const (
	testVLAN = 5<<13 | 100 // with a priority
	cleared  = 100         // as a VM's leave
	otherTag = 0x88a8      // of a provider, 802.1ad
)

// inVLAN suits frames of an IP protocol with the control information of a tag.
func inVLAN(protocol uint8, control uint16) func([]byte) bool {
	return func(frame []byte) bool {
		inner, has := testnet.Untagged(frame)
		return has == control && testnet.IPProtocol(protocol)(inner)
	}
}

func passVLANs(c *config.Host) { c.VLANs = config.VLANsPass }

func TestTaggedFramesAreDroppedUnlessAllowed(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	capture := testnet.NewCapture(t, h.far)
	sender := testnet.NewSender(t, h.vm)
	sender.Send(testnet.Tagged(outward(ownIP, peerIP, testnet.NotECT), testVLAN))
	sender.Send(outward(ownIP, peerIP, testnet.NotECT))
	capture.Next(eventually, udp)
	if tagged := capture.Waiting(inVLAN(testnet.UDP, cleared)); len(tagged) > 0 {
		t.Errorf("%d tagged frames passed", len(tagged))
	}
	if spoofed := h.status().Endpoints[0].SpoofedPackets; spoofed != 1 {
		t.Errorf("%d frames counted as spoofed, want the tagged one", spoofed)
	}
}

// A tag that has a priority alone makes no VLAN (802.1Q, 9.6).
func TestPriorityTaggedFramesAreLikeUntaggedOnes(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	capture := testnet.NewCapture(t, h.far)
	sender := testnet.NewSender(t, h.vm)
	sender.Send(testnet.Tagged(outward(otherIP, peerIP, testnet.NotECT), 5<<13))
	sender.Send(testnet.Tagged(outward(ownIP, peerIP, testnet.NotECT), 5<<13))
	frame := capture.Next(eventually, func(frame []byte) bool { inner, _ := testnet.Untagged(frame); return udp(inner) })
	if inner, control := testnet.Untagged(frame); control != 0 || testnet.ECNOf(inner) != testnet.ECT0 {
		t.Errorf("control information %#x, ECN %d", control, testnet.ECNOf(inner))
	}
	if e := h.status().Endpoints[0]; e.SpoofedPackets != 1 || e.TxPackets != 1 {
		t.Errorf("%d spoofed, %d sent; want the foreign address and the other", e.SpoofedPackets, e.TxPackets)
	}
}

func TestTaggedFramesAreLimitedAndChecked(t *testing.T) {
	t.Parallel()
	h := newHost(t, passVLANs).run()
	h.limit("vm0", 20_000_000)
	h.share(1_000_000, 10, peerIP)
	testnet.Until(t, "the share is in force", func() bool { _, ok := h.group(testPort); return ok })
	capture := testnet.NewCapture(t, h.far)
	sender := testnet.NewSender(t, h.vm)
	sender.Send(testnet.Tagged(outward(otherIP, peerIP, testnet.NotECT), testVLAN))
	provider := testnet.Tagged(outward(ownIP, peerIP, testnet.NotECT), testVLAN)
	provider[12], provider[13] = otherTag>>8, otherTag&0xff
	sender.Send(provider)
	sender.Send(testnet.Tagged(testnet.Tagged(outward(ownIP, peerIP, testnet.NotECT), testVLAN), testVLAN))
	sender.Send(testnet.Tagged(outward(ownIP, peerIP, testnet.CE), testVLAN))
	inner, _ := testnet.Untagged(capture.Next(eventually, inVLAN(testnet.UDP, cleared)))
	if ecn := testnet.ECNOf(inner); ecn != testnet.ECT0 || !testnet.HeaderIntact(inner) {
		t.Errorf("ECN %d, header intact %v", ecn, testnet.HeaderIntact(inner))
	}
	e := h.status().Endpoints[0]
	if e.SpoofedPackets != 3 || e.ForgedCEPackets != 1 {
		t.Errorf("%d spoofed, %d forged marks; want 3 (a foreign address, a provider's tag, two tags) and 1",
			e.SpoofedPackets, e.ForgedCEPackets)
	}
	if g, _ := h.group(testPort); g.SentPackets != 1 {
		t.Errorf("%d packets in the port's class, want 1", g.SentPackets)
	}
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{Port: testPort, Expired: true}})
	testnet.Until(t, "the group ends", func() bool { _, ok := h.group(testPort); return !ok })
	flood(t, h.vm, testnet.Tagged(outward(ownIP, peerIP, testnet.NotECT), testVLAN))
	testnet.Until(t, "what is tagged fills the endpoint's class", func() bool {
		e := h.status().Endpoints[0]
		return e.RateBitsPerSecond == 20_000_000 && e.Groups[0].DroppedPackets > 100 && e.Groups[0].SentPackets > 100
	})
}

// Messages of agents go in the VLAN in which the data came.
func TestMessagesStayInTheirVLAN(t *testing.T) {
	t.Parallel()
	h := newHost(t, passVLANs).run()
	capture, vm := testnet.NewCapture(t, h.far), testnet.NewCapture(t, h.vm)
	far := testnet.NewSender(t, h.far)
	far.Send(testnet.Tagged(inward(peerIP, ownIP, testnet.CE), testVLAN))
	inner, _ := testnet.Untagged(vm.Next(eventually, inVLAN(testnet.UDP, testVLAN)))
	if ecn := testnet.ECNOf(inner); ecn != testnet.NotECT {
		t.Errorf("the VM sees ECN %d, want Not-ECT", ecn)
	}
	frame, _ := testnet.Untagged(capture.Next(eventually, inVLAN(testProtocol, cleared)))
	message, err := wire.NewDecoder(testProtocol, &wire.Keyring{}, true).DecodeFrame(0, frame)
	if err != nil || message.Feedback.CEPackets != 1 || message.Feedback.Pair != (model.Pair{Source: peerIP, Destination: ownIP}) {
		t.Fatalf("%+v, %v", message, err)
	}
	h.expectEchoAnswered(far, capture, func(frame []byte) []byte { return testnet.Tagged(frame, testVLAN) }, inVLAN(testProtocol, cleared))
	if frames := vm.Waiting(inVLAN(testProtocol, testVLAN)); len(frames) > 0 {
		t.Error("the VM sees the agents' messages")
	}
}

// expectEchoAnswered requests an echo of the agent and waits for the reply.
func (h *host) expectEchoAnswered(far *testnet.Sender, capture *testnet.Capture, wrap func([]byte) []byte, suits func([]byte) bool) {
	h.t.Helper()
	encoder := wire.Encoder{Protocol: testProtocol, Keys: &wire.Keyring{}, AllowUnsigned: true}
	buffer := make([]byte, wire.MaxFrameLength)
	before := h.status().Feedback.Accepted
	length, err := encoder.EncodeEcho(buffer, &wire.Echo{
		Pair: model.Pair{Source: peerIP, Destination: ownIP}, Sequence: wire.NextSequence(0, time.Now().UnixNano()),
		LoopNanos: 2_500_000, SentNanos: 1,
	}, wire.MAC{2, 0, 0, 0, 0, 5}, wire.MAC{2, 0, 0, 0, 0, 1})
	if err != nil {
		h.t.Fatal(err)
	}
	far.Send(wrap(buffer[:length]))
	testnet.Until(h.t, "the question is accepted", func() bool { return h.status().Feedback.Accepted == before+1 })
	capture.Next(eventually, suits)
}

// Where a bridge adds the tag a VM and its agent see frames without; on the wire there is nothing without.
func TestMessagesGoInTheVLANOfAnAccessPort(t *testing.T) {
	t.Parallel()
	h := newHostWith(t, testnet.Taps, nil)
	h.agents = nil
	testnet.AccessPorts(t, testnet.Link(t, "up0"), cleared)
	h.run()
	capture, guestSees := testnet.NewCapture(t, h.far), testnet.NewCapture(t, h.vm)
	far, guest := testnet.NewSender(t, h.far), testnet.NewSender(t, h.vm)
	wrap := func(frame []byte) []byte { return testnet.Tagged(frame, testVLAN) }
	h.expectEchoAnswered(far, capture, wrap, inVLAN(testProtocol, cleared))
	far.Send(wrap(inward(peerIP, ownIP, testnet.CE)))
	if frame := guestSees.Next(eventually, udp); testnet.ECNOf(frame) != testnet.NotECT {
		t.Errorf("the VM sees ECN %d, want Not-ECT", testnet.ECNOf(frame))
	}
	capture.Next(eventually, func(frame []byte) bool {
		inner, control := testnet.Untagged(frame)
		return control == cleared && isMarkMessage(inner, peerIP)
	})
	guest.Send(outward(ownIP, peerIP, testnet.NotECT))
	inner, _ := testnet.Untagged(capture.Next(eventually, inVLAN(testnet.UDP, cleared)))
	if ecn := testnet.ECNOf(inner); ecn != testnet.ECT0 {
		t.Errorf("ECN %d leaves, want ECT: an agent has answered", ecn)
	}
}

// newPeerBehindAccessPort is a second host, on the first one's wire, whose bridge adds the tag. It runs.
func newPeerBehindAccessPort(t *testing.T, first *host, vlan uint16) *host {
	t.Helper()
	move := testnet.Mover(t, first.far)
	peer := newHost(t, func(c *config.Host) {
		c.Host = "h2"
		c.Endpoints.Static[0] = config.StaticEndpoint{Interface: "vm0", MAC: "02:00:00:00:00:05", IPs: []string{peerIP.String()}}
	})
	peer.agents = nil
	testnet.Delete(t, "up0")
	move("up0", "br0")
	testnet.AccessPorts(t, testnet.Link(t, "up0"), vlan)
	return peer.run()
}

// Two hosts on one wire, each with a bridge that adds the tag.
func TestAgentsReachEachOtherBehindAccessPorts(t *testing.T) {
	t.Parallel()
	a := newHost(t, nil)
	a.agents = nil
	testnet.AccessPorts(t, testnet.Link(t, "up0"), cleared)
	a.run()
	sender, vm := testnet.NewSender(t, a.vm), testnet.NewCapture(t, a.vm)
	b := newPeerBehindAccessPort(t, a, cleared)
	answering := testnet.NewSender(t, b.vm)
	testnet.Until(t, "either agent has the other's messages", func() bool {
		sender.Send(outward(ownIP, peerIP, testnet.NotECT))
		answering.Send(inward(peerIP, ownIP, testnet.NotECT))
		return a.status().Feedback.Agents == 1 && b.status().Feedback.Agents == 1
	})
	vm.Next(eventually, udp)
	if messages := vm.Waiting(testnet.IPProtocol(testProtocol)); len(messages) > 0 {
		t.Error("a VM sees the agents' messages")
	}
}
