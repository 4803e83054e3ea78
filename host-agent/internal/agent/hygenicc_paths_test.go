// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

var own6, peer6 = netip.MustParseAddr("fd00::1"), netip.MustParseAddr("fd00::5")

// acknowledgement is a segment of a connection between the VM and its peer; outward: the VM's.
func acknowledgement(own, peer netip.Addr, outward, reservedBit bool, ecn uint8) []byte {
	frame := testnet.Frame{Source: own, Destination: peer, Protocol: testnet.TCP, SourcePort: 2000, Port: 5001,
		TCPFlags: testnet.ACK, ReservedBit: reservedBit, ECN: ecn}
	macs := []byte{2, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 1}
	if !outward {
		frame.Source, frame.Destination, frame.SourcePort, frame.Port = peer, own, 5001, 2000
		macs = []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 5}
	}
	built := frame.Build()
	copy(built, macs)
	return built
}

// hasReservedBit suits TCP over IPv4 that takes a mark along, its header right.
func hasReservedBit(frame []byte) bool {
	return testnet.IPProtocol(testnet.TCP)(frame) && frame[testnet.EthernetBytes+6]&0x80 != 0 && testnet.HeaderIntact(frame)
}

// reflected are the marks that came back in reserved bits.
func (h *host) reflected() (marks uint64) {
	h.t.Helper()
	for _, pair := range h.status().Pairs {
		marks += pair.ReflectedMarks
	}
	return marks
}

// isMarkMessage suits an agent's report of marks from a source.
func isMarkMessage(frame []byte, source netip.Addr) bool {
	if !testnet.IPProtocol(testProtocol)(frame) {
		return false
	}
	message, err := wire.NewDecoder(testProtocol, &wire.Keyring{}, true).DecodeFrame(0, frame)
	return err == nil && message.Kind == wire.KindFeedback && message.Feedback.CEPackets > 0 &&
		message.Feedback.Pair.Source == source
}

// sawBoth is a condition: by what is done again and again frames of either kind have come.
func sawBoth(capture *testnet.Capture, isBit, isMessage func([]byte) bool, do func()) func() bool {
	bits, messages := 0, 0
	return func() bool {
		do()
		for _, frame := range capture.Waiting(func(frame []byte) bool { return isBit(frame) || isMessage(frame) }) {
			if isBit(frame) {
				bits++
			} else {
				messages++
			}
		}
		return bits > 0 && messages > 0
	}
}

// In one VLAN bits and messages go both ways, as without.
func TestMarksAreReturnedInTheirVLAN(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(c *config.Host) {
		hygenicc(config.FeedbackBit)(c)
		passVLANs(c)
	}).run()
	capture, inside := testnet.NewCapture(t, h.far), testnet.NewCapture(t, h.vm)
	vm, far := testnet.NewSender(t, h.vm), testnet.NewSender(t, h.far)
	tagged := func(control uint16, suits func([]byte) bool) func([]byte) bool {
		return func(frame []byte) bool {
			inner, has := testnet.Untagged(frame)
			return has == control && suits(inner)
		}
	}
	isBit := tagged(cleared, hasReservedBit)
	isMessage := tagged(cleared, func(frame []byte) bool { return isMarkMessage(frame, peerIP) })
	testnet.Until(t, "marks go back in bits and in messages", sawBoth(capture, isBit, isMessage, func() {
		for range 4 { // more than go back in bits
			far.Send(testnet.Tagged(acknowledgement(ownIP, peerIP, false, false, testnet.CE), testVLAN))
		}
		vm.Send(testnet.Tagged(acknowledgement(ownIP, peerIP, true, false, testnet.NotECT), testVLAN))
	}))
	far.Send(testnet.Tagged(acknowledgement(ownIP, peerIP, false, true, testnet.NotECT), testVLAN))
	testnet.Until(t, "a bit that comes back is counted", func() bool { return h.reflected() == 1 })
	if seen := inside.Waiting(tagged(testVLAN, hasReservedBit)); len(seen) > 0 {
		t.Error("the VM sees the bit")
	}
}

// IPv6 has no such bit: with either setting messages bring all marks back, and they hold the VM.
func TestMarksOfIPv6AreReturnedInMessages(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(c *config.Host) {
		hygenicc(config.FeedbackBit)(c)
		c.Endpoints.Static[0].IPs = []string{ownIP.String(), own6.String()}
	}).run()
	capture := testnet.NewCapture(t, h.far)
	vm, far := testnet.NewSender(t, h.vm), testnet.NewSender(t, h.far)
	testnet.Until(t, "marks go back", func() bool {
		far.Send(acknowledgement(own6, peer6, false, false, testnet.CE))
		vm.Send(acknowledgement(own6, peer6, true, false, testnet.NotECT))
		return h.status().Feedback.Sent > 1
	})
	capture.Next(eventually, func(frame []byte) bool { return isMarkMessage(frame, peer6) })

	encoder := wire.Encoder{Protocol: testProtocol, Keys: &wire.Keyring{}, AllowUnsigned: true}
	buffer := make([]byte, wire.MaxFrameLength)
	feedback := model.Feedback{Pair: model.Pair{Source: own6, Destination: peer6}, Instance: 7,
		Sequence: wire.NextSequence(0, time.Now().UnixNano()), PeriodNanos: 2_500_000, Packets: 1, Bytes: 1000}
	testnet.Until(t, "the VM is held", func() bool {
		vm.Send(acknowledgement(own6, peer6, true, false, testnet.NotECT))
		length, err := encoder.EncodeFeedback(buffer, &feedback, wire.MAC{2, 0, 0, 0, 0, 5}, wire.MAC{2, 0, 0, 0, 0, 1})
		if err != nil {
			t.Fatal(err)
		}
		far.Send(buffer[:length])
		feedback.Sequence, feedback.Packets, feedback.CEPackets = feedback.Sequence+1, feedback.Packets+4, feedback.CEPackets+4
		feedback.Bytes += 4000
		g, held := h.group(model.AnyPort)
		return held && g.RateBitsPerSecond < 50_000_000
	})
}

// Below a tunnel the bit is in the inner header, which the tunnel leaves alone; marks come from the outer one.
func TestMarksAreReturnedInsideATunnel(t *testing.T) {
	t.Parallel()
	r := newTunnelled(t)
	hygenicc(config.FeedbackBit)(&r.settings)
	r.run()
	connection := r.connect()
	isBit := func(frame []byte) bool {
		return inTunnel(testnet.TCP)(frame) && hasReservedBit(frame[outerBytes:])
	}
	isMessage := func(frame []byte) bool {
		return inTunnel(testProtocol)(frame) && isMarkMessage(frame[outerBytes:], peerIP)
	}
	testnet.Until(t, "marks go back in bits and in messages", sawBoth(r.capture, isBit, isMessage, func() {
		for range 4 {
			r.send(inward(peerIP, ownIP, testnet.ECT0))
		}
		if _, err := connection.Write(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}))
	r.send(acknowledgement(ownIP, peerIP, false, true, testnet.ECT0))
	testnet.Until(t, "a bit that comes back is counted", func() bool { return r.reflected() == 1 })
}

// Where limits drop, marks lower the bucket's rate.
func TestMarksLowerThePolicedRate(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(c *config.Host) {
		hygenicc(config.FeedbackBit)(c)
		policing(c)
	}).run()
	far := testnet.NewSender(t, h.far)
	flood(t, h.vm, outward(ownIP, peerIP, testnet.NotECT))
	testnet.Paced(t, time.Millisecond, func() {
		for range 20 {
			far.Send(acknowledgement(ownIP, peerIP, false, true, testnet.NotECT))
		}
	})
	// 20 marks a millisecond take more than the law gives back: R_min, a hundredth of the NIC.
	testnet.Until(t, "the endpoint is at its least", func() bool {
		g, held := h.group(model.AnyPort)
		return held && g.RateBitsPerSecond == 500_000
	})
	testnet.Until(t, "its bucket drops, not its class", func() bool {
		g, _ := h.group(model.AnyPort)
		return g.DroppedPackets > 100 && g.BacklogPackets == 0
	})
}
