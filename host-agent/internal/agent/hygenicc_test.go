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

func hygenicc(feedback string) func(*config.Host) {
	return func(c *config.Host) {
		c.Law, c.HyGenICC = config.LawHyGenICC, &config.HyGenICC{Feedback: feedback}
	}
}

// The VM sends to its peer, and the peer's acknowledgements bring marks back in the reserved bit.
func TestReservedBitsHoldAnEndpoint(t *testing.T) {
	h := newHost(t, hygenicc(config.FeedbackBit)).run()
	vm, far := testnet.NewSender(t, h.vm), testnet.NewSender(t, h.far)
	out := testnet.Frame{Source: ownIP, Destination: peerIP, Protocol: testnet.TCP,
		SourcePort: 2000, Port: 5001, TCPFlags: testnet.ACK, PayloadBytes: 900}.Build()
	copy(out, []byte{2, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 1})
	back := testnet.Frame{Source: peerIP, Destination: ownIP, Protocol: testnet.TCP, ReservedBit: true,
		SourcePort: 5001, Port: 2000, TCPFlags: testnet.ACK}.Build()
	copy(back, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 5})
	testnet.Until(t, "the endpoint is held", func() bool {
		vm.Send(out)
		far.Send(back)
		g, held := h.group(model.AnyPort)
		return held && g.RateBitsPerSecond < 50_000_000
	})
	if status := h.status(); status.Law != config.LawHyGenICC || status.Pairs[0].Port == "" && status.Pairs[1].Port == "" {
		t.Errorf("law %q, pairs %+v", status.Law, status.Pairs)
	}
}

// What arrives marked goes back in messages where it finds no packet.
func TestMarksGoBackInMessages(t *testing.T) {
	for _, feedback := range []string{config.FeedbackBit, config.FeedbackPacket} {
		t.Run(feedback, func(t *testing.T) {
			h := newHost(t, hygenicc(feedback)).run()
			capture, far := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.far)
			for range 3 {
				far.Send(inward(peerIP, ownIP, testnet.CE))
			}
			isMessage := testnet.IPProtocol(testProtocol)
			if capture.Next(5*time.Second, isMessage) == nil {
				t.Fatal("no message came")
			}
			testnet.Until(t, "all marks have gone back", func() bool {
				return h.status().Feedback.Sent >= 2 // the base to count from, and the marks
			})
			sent := h.status().Feedback.Sent
			for range 50 {
				far.Send(inward(peerIP, ownIP, testnet.ECT0))
			}
			testnet.Until(t, "all has arrived", func() bool { return h.status().Pairs[0].ReceivedPackets == 53 })
			if now := h.status().Feedback.Sent; now != sent {
				t.Errorf("%d messages about packets without marks", now-sent)
			}
		})
	}
}

// relayed are the marks that the agent had controllers pass on for one source.
func (o *observer) relayed(source netip.Addr) []model.Feedback {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(o.marks), func(m model.Feedback) bool { return m.Pair.Source != source })
}

// What arrives marked goes back by the link, each mark once; in messages where no controller can pass it on, or none
// is there.
func TestMarksGoBackByTheLink(t *testing.T) {
	h := newHost(t, hygenicc(config.FeedbackLink))
	o := h.runObserved()
	far := testnet.NewSender(t, h.far)
	marked := func(count int) {
		for range count {
			far.Send(inward(peerIP, ownIP, testnet.CE))
		}
	}
	arrive := func(what string, total uint64) {
		t.Helper()
		testnet.Until(t, what, func() bool {
			all := o.relayed(peerIP)
			return len(all) > 0 && all[len(all)-1].CEPackets == total
		})
	}
	marked(3)
	arrive("all marks are with the controller", 3)
	if base := o.relayed(peerIP)[0]; base.CEPackets != 0 || base.Sequence == 0 {
		t.Errorf("%+v, want a base to count from first", base)
	}
	if sent := h.status().Feedback.Sent; sent != 0 {
		t.Errorf("%d packets of our own beside it", sent)
	}

	// It knows no way to the source: the same totals, and what comes, go in messages for a while.
	h.agent.decisions.ApplyUndeliveredMarks("node", o.relayed(peerIP)[1:])
	testnet.Until(t, "they go in a message", func() bool { return h.status().Feedback.Sent == 1 })
	testnet.Until(t, "the controller is asked again", func() bool {
		marked(1)
		all := o.relayed(peerIP)
		return all[len(all)-1].CEPackets > 3
	})

	o.away.Store(true)
	sent, told := h.status().Feedback.Sent, len(o.relayed(peerIP))
	marked(2)
	testnet.Until(t, "they go in a message", func() bool { return h.status().Feedback.Sent > sent })
	if now := len(o.relayed(peerIP)); now != told {
		t.Errorf("%d reports to a controller that is away", now-told)
	}
	o.away.Store(false)
	marked(1)
	testnet.Until(t, "they go by the link again", func() bool { return len(o.relayed(peerIP)) > told })
}

// What comes back by the link slows the VM down: each mark once, whoever brings it. What controllers decide about
// ports does not.
func TestRelayedMarksHoldAnEndpoint(t *testing.T) {
	h := newHost(t, hygenicc(config.FeedbackLink))
	h.runObserved()
	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true, Law: model.SdnGcc, NoticesAlone: true,
		ControlPeriodNanos: 5_000_000})
	h.share(10_000_000, 4, peerIP)
	vm := testnet.NewSender(t, h.vm)
	pair := model.Pair{Source: ownIP, Destination: peerIP}
	told := func(sequence, marks uint64) {
		h.agent.decisions.ApplyReturnedMarks("node", []model.Feedback{
			{Pair: pair, Instance: 1, Sequence: sequence, Packets: marks, CEPackets: marks, Bytes: 1500 * marks}})
	}
	told(1, 0)
	testnet.Until(t, "the endpoint is held", func() bool {
		vm.Send(outward(ownIP, peerIP, testnet.ECT0))
		told(2, 20) // as every node of a cluster brings it
		g, held := h.group(model.AnyPort)
		return held && g.RateBitsPerSecond < 50_000_000
	})
	status := h.status()
	if status.Law != config.LawHyGenICC || status.Pairs[0].ReturnedMarks != 20 || status.Feedback.Relayed < 2 {
		t.Errorf("law %q, %d marks returned, %d times", status.Law, status.Pairs[0].ReturnedMarks, status.Feedback.Relayed)
	}
	if slices.ContainsFunc(status.Endpoints[0].Groups, func(g endpoints.GroupStatus) bool { return g.Port == testPort }) {
		t.Error("a controller's share has an effect")
	}
}
