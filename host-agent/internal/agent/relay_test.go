// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/peers"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire/wiretest"
)

const secondPort = model.Port("of:0000000000000002/7")

func reaching(port model.Port, bitsPerSecond uint64, reached ...netip.Addr) model.UnitShare {
	return model.UnitShare{Port: port, UnitShareBitsPerSecond: bitsPerSecond,
		CapacityBitsPerSecond: 50_000_000, ActiveWeight: 4, Reached: reached}
}

// nextOf waits for the next message of a kind.
func nextOf(t *testing.T, capture *testnet.Capture, decoder *wire.Decoder, kind wire.Kind) wire.Message {
	t.Helper()
	for {
		message, err := decoder.DecodeFrame(0, capture.Next(eventually, testnet.IPProtocol(testProtocol)))
		if err != nil {
			t.Fatal(err)
		}
		if message.Kind == kind {
			return message
		}
	}
}

func TestReceiversRelayShares(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{
		reaching(testPort, 12_500_000, ownIP), reaching(secondPort, 25_000_000, ownIP),
		reaching("of:0000000000000003/1", 1_000_000, otherIP),
	})
	h.agent.decisions.LeaseExpired("node") // what was published stays
	capture, sender := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.far)
	decoder := wire.NewDecoder(testProtocol, &wire.Keyring{}, true)

	relayed := func(frame []byte) bool {
		if !testnet.IPProtocol(testProtocol)(frame) {
			return false
		}
		message, err := decoder.DecodeFrame(0, frame)
		if err != nil {
			t.Fatal(err)
		}
		want := wire.Share{
			Pair: model.Pair{Source: peerIP, Destination: ownIP}, Sequence: message.Share.Sequence, Port: testPort,
			UnitShareBitsPerSecond: 12_500_000, CapacityBitsPerSecond: 50_000_000, ActiveWeight: 4,
		}
		if message.Kind == wire.KindShare && message.Share != want {
			t.Fatalf("%+v, want %+v", message.Share, want)
		}
		return message.Kind == wire.KindShare
	}
	// A pair's first packet causes one, other unmarked packets are only reported.
	sender.Send(inward(peerIP, ownIP, testnet.ECT0))
	frame := capture.Next(eventually, relayed)
	for range 3 {
		sender.Send(inward(peerIP, ownIP, testnet.ECT0))
	}
	testnet.Until(t, "unmarked packets are reported", func() bool {
		message, err := decoder.DecodeFrame(0, capture.Next(eventually, testnet.IPProtocol(testProtocol)))
		if err != nil || message.Kind == wire.KindShare {
			t.Fatalf("%+v, %v", message, err)
		}
		return message.Feedback.Packets == 4
	})
	sender.Send(inward(peerIP, ownIP, testnet.CE))
	capture.Next(eventually, relayed)
	if wire.MAC(frame[:6]) != peerMAC || wire.MAC(frame[6:12]) != ownMAC {
		t.Errorf("MACs %x", frame[:12])
	}

	// A mark every 2 ms, a share every 20 ms at most; on a busy machine the engine may miss some.
	began := time.Now()
	marks, shares := uint64(1), 0
	testnet.Until(t, "all marks are reported, and several shares relayed", func() bool {
		for range 100 {
			sender.Send(inward(peerIP, ownIP, testnet.CE))
			time.Sleep(2 * time.Millisecond)
		}
		marks += 100
		for {
			message, err := decoder.DecodeFrame(0, capture.Next(eventually, testnet.IPProtocol(testProtocol)))
			if err != nil {
				t.Fatal(err)
			}
			if message.Kind == wire.KindShare {
				shares++
			}
			if message.Kind == wire.KindFeedback && message.Feedback.CEPackets == marks {
				return shares >= 2
			}
		}
	})
	if most := int(time.Since(began).Nanoseconds()/peers.RelayPauseNanos) + 1; shares > most {
		t.Errorf("%d shares in %v, want %d at most", shares, time.Since(began), most)
	}
}

// relayingAgent sends the host a share, as the agent of a marked destination does.
type relayingAgent struct {
	h        *host
	sender   *testnet.Sender
	sequence uint64
}

func (p *relayingAgent) send(port model.Port, bitsPerSecond uint64, destination netip.Addr) {
	p.h.t.Helper()
	encoder := wire.Encoder{Protocol: testProtocol, Keys: &wire.Keyring{}, AllowUnsigned: true}
	p.sequence++
	buffer := make([]byte, wire.MaxFrameLength)
	length, err := encoder.EncodeShare(buffer, &wire.Share{
		Pair: model.Pair{Source: ownIP, Destination: destination}, Sequence: p.sequence, Port: port,
		UnitShareBitsPerSecond: bitsPerSecond, CapacityBitsPerSecond: 40_000_000, ActiveWeight: 3,
	}, peerMAC, ownMAC)
	if err != nil {
		p.h.t.Fatal(err)
	}
	p.sender.Send(buffer[:length])
}

func (h *host) pairPort(destination netip.Addr) model.Port {
	h.t.Helper()
	for _, pair := range h.status().Pairs {
		if pair.Destination == destination {
			return pair.Port
		}
	}
	return "none"
}

// A newcomer has the share that was relayed, and the controller takes over.
func TestNewSendersUseRelayedShares(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	vm := testnet.NewCapture(t, h.vm)
	sender := testnet.NewSender(t, h.vm)
	sender.Send(outward(ownIP, peerIP, testnet.NotECT))
	sender.Send(outward(ownIP, otherIP, testnet.NotECT))
	relaying := &relayingAgent{h: h, sender: testnet.NewSender(t, h.far)}
	relaying.send(testPort, 13_000_000, peerIP)
	testnet.Until(t, "the share is in force", func() bool {
		g, ok := h.group(testPort)
		return ok && g.Relayed && g.RateBitsPerSecond == 13_000_000 &&
			h.pairPort(peerIP) == testPort && h.pairPort(otherIP) == model.Default
	})
	relaying.send(testPort, 13_000_000, otherIP)
	testnet.Until(t, "another destination joins", func() bool {
		return h.pairPort(peerIP) == testPort && h.pairPort(otherIP) == testPort
	})

	h.share(10_000_000, 4, peerIP)
	testnet.Until(t, "the controller takes over", func() bool {
		g, ok := h.group(testPort)
		return ok && !g.Relayed && h.pairPort(peerIP) == testPort && h.pairPort(otherIP) == model.Default
	})
	relaying.send(testPort, 1_000_000, otherIP)
	testnet.Until(t, "a destination joins what the controller published", func() bool {
		g, ok := h.group(testPort)
		return ok && !g.Relayed && h.pairPort(otherIP) == testPort
	})
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{Port: testPort, Expired: true}})
	testnet.Until(t, "the controller ends it", func() bool {
		_, ok := h.group(testPort)
		return !ok && h.pairPort(peerIP) == model.Default && h.pairPort(otherIP) == model.Default
	})
	if frames := vm.Waiting(testnet.IPProtocol(testProtocol)); len(frames) != 0 {
		t.Errorf("%d control packets reached the VM", len(frames))
	}
}

// Sources that share a destination may cross ports that others do not: what its agent relays must not
// stay, or come back, where the controller has named the ports on the path.
func TestRelayedSharesOfPortsThatTheControllerDidNotNameAreIgnored(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	testnet.NewSender(t, h.vm).Send(outward(ownIP, peerIP, testnet.NotECT))
	relaying := &relayingAgent{h: h, sender: testnet.NewSender(t, h.far)}
	testnet.Until(t, "the share is in force", func() bool {
		relaying.send(secondPort, 13_000_000, peerIP)
		return h.pairPort(peerIP) == secondPort
	})
	h.share(10_000_000, 4, peerIP)
	testnet.Until(t, "the controller names another port", func() bool {
		_, other := h.group(secondPort)
		return h.pairPort(peerIP) == testPort && !other
	})
	accepted := h.status().Feedback.Accepted
	relaying.send(secondPort, 13_000_000, peerIP)
	testnet.Until(t, "the share is there", func() bool { return h.status().Feedback.Accepted > accepted })
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{Port: testPort, Expired: true}})
	testnet.Until(t, "the controller ends it", func() bool { return h.pairPort(peerIP) == model.Default })
	if _, ok := h.group(secondPort); ok {
		t.Error("a port was taken that the controller did not name")
	}
}

func TestRelayedSharesOutliveAReset(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	testnet.NewSender(t, h.vm).Send(outward(ownIP, peerIP, testnet.NotECT))
	relaying := &relayingAgent{h: h, sender: testnet.NewSender(t, h.far)}
	inForce := func() bool {
		g, ok := h.group(testPort)
		return ok && g.Relayed && h.pairPort(peerIP) == testPort
	}
	testnet.Until(t, "the share is in force", func() bool {
		relaying.send(testPort, 13_000_000, peerIP)
		return inForce()
	})
	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: false})
	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true})
	testnet.Until(t, "the share is in force again", inForce)

	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true, Law: model.SdnGcc})
	testnet.Until(t, "SDN-GCC's law uses notices", func() bool {
		relaying.send(secondPort, 13_000_000, peerIP)
		g, ok := h.group(testPort)
		return !ok || g.RateBitsPerSecond == 50_000_000
	})
	if _, ok := h.group(secondPort); ok {
		t.Error("a share was taken under SDN-GCC's law")
	}
}

// A share that is signed with another key, or comes from a VM, changes nothing.
func TestForgedSharesAreRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	forged := &relayingAgent{h: h, sender: testnet.NewSender(t, h.vm)}
	forged.send(testPort, 1_000_000, peerIP)
	testnet.Until(t, "a VM's own is dropped", func() bool {
		e := h.status().Endpoints[0]
		return e.ForgedControl+e.SpoofedPackets == 1
	})
	h.agent.decisions.ApplyPeerAuthority("node", []model.AuthorityKey{wiretest.NewAuthority(t).Key()})
	forged.sender = testnet.NewSender(t, h.far)
	forged.send(testPort, 1_000_000, peerIP)
	testnet.Until(t, "an unsigned one is refused", func() bool { return h.status().Feedback.Refused == 1 })
	if s := h.status(); s.Feedback.Accepted != 0 || len(s.Endpoints[0].Groups) != 1 {
		t.Errorf("feedback %+v, groups %+v", s.Feedback, s.Endpoints[0].Groups)
	}
}
