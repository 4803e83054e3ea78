// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/pairs"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

func hygenicc(feedback string) func(*config.Host) {
	return func(c *config.Host) {
		c.Law, c.HyGenICC = config.LawHyGenICC, &config.HyGenICC{Feedback: feedback}
	}
}

// The VM sends to its peer, and the peer's acknowledgements bring marks back in the reserved bit.
func TestMarksInReservedBitsLowerAnEndpointsRate(t *testing.T) {
	t.Parallel()
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
	hasPort := func(pair pairs.Status) bool { return pair.Port != "" }
	if status := h.status(); status.Law != config.LawHyGenICC || !slices.ContainsFunc(status.Pairs, hasPort) {
		t.Errorf("law %q, pairs %+v", status.Law, status.Pairs)
	}
}

// What arrives marked goes back in messages where it finds no packet.
func TestMarksAreReturnedInMessages(t *testing.T) {
	t.Parallel()
	for _, feedback := range []string{config.FeedbackBit, config.FeedbackPacket} {
		t.Run(feedback, func(t *testing.T) {
			h := newHost(t, hygenicc(feedback)).run()
			capture, far := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.far)
			for range 3 {
				far.Send(inward(peerIP, ownIP, testnet.CE))
			}
			decoder := wire.NewDecoder(testProtocol, &wire.Keyring{}, true)
			testnet.Until(t, "all marks have gone back", func() bool { // in one message or several, after the base
				message, err := decoder.DecodeFrame(0, capture.Next(eventually, testnet.IPProtocol(testProtocol)))
				return err == nil && message.Kind == wire.KindFeedback && message.Feedback.CEPackets == 3
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
func TestMarksAreReturnedOverTheAgentLink(t *testing.T) {
	t.Parallel()
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
	testnet.Until(t, "the request to the controller is repeated", func() bool {
		marked(1)
		all := o.relayed(peerIP)
		return all[len(all)-1].CEPackets > 3
	})

	o.away.Store(true)
	sent, relayed := h.status().Feedback.Sent, len(o.relayed(peerIP))
	marked(2)
	testnet.Until(t, "they go in a message", func() bool { return h.status().Feedback.Sent > sent })
	if now := len(o.relayed(peerIP)); now != relayed {
		t.Errorf("%d reports to a controller that is away", now-relayed)
	}
	o.away.Store(false)
	marked(1)
	testnet.Until(t, "they go by the link again", func() bool { return len(o.relayed(peerIP)) > relayed })
}

// What comes back by the link slows the VM down: each mark once, whoever brings it. What controllers decide about
// ports does not.
func TestRelayedMarksLowerAnEndpointsRate(t *testing.T) {
	t.Parallel()
	h := newHost(t, hygenicc(config.FeedbackLink))
	h.runObserved()
	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true, Law: model.SdnGcc, NoticesAlone: true,
		ControlPeriodNanos: 5_000_000})
	h.share(10_000_000, 4, peerIP)
	vm := testnet.NewSender(t, h.vm)
	pair := model.Pair{Source: ownIP, Destination: peerIP}
	report := func(sequence, marks uint64) {
		h.agent.decisions.ApplyReturnedMarks("node", []model.Feedback{
			{Pair: pair, Instance: 1, Sequence: sequence, Packets: marks, CEPackets: marks, Bytes: 1500 * marks}})
	}
	report(1, 0)
	testnet.Until(t, "the endpoint is held", func() bool {
		vm.Send(outward(ownIP, peerIP, testnet.ECT0))
		report(2, 20) // as every node of a cluster brings it
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

// A VM that marks have slowed down recovers to its share by weight among those that send, and to all of the uplink when
// it is alone.
func TestAnEndpointRecoversToItsShareOfTheUplink(t *testing.T) {
	t.Parallel()
	h, vms := newHostOf(t, 2, hygenicc(config.FeedbackLink))
	h.runObserved()
	policy := func(name string, weight float64) model.EndpointPolicy {
		return model.EndpointPolicy{Interface: name, Tenant: "default", Weight: weight}
	}
	h.agent.decisions.ApplyPolicies("node", []model.EndpointPolicy{policy("vm0", 1), policy("vm1", 3)})
	ends := make([]func(), len(vms))
	for i, vm := range vms {
		sender := testnet.NewSender(t, vm)
		frame := testnet.Frame{
			Source: tenantIP(i), Destination: peerIP, Protocol: testnet.UDP, SourcePort: 1000, Port: 2000, PayloadBytes: 300,
		}.Build()
		copy(frame, []byte{2, 0, 0, 0, 0, 5, 2, 0, 0, 0, 1, byte(i)})
		ends[i] = testnet.Paced(t, time.Millisecond, func() { sender.Send(frame) })
	}
	report := func(sequence, marks uint64) {
		h.agent.decisions.ApplyReturnedMarks("node", []model.Feedback{{
			Pair: model.Pair{Source: tenantIP(0), Destination: peerIP}, Instance: 1, Sequence: sequence,
			Packets: marks, CEPackets: marks}})
	}
	rate := func() uint64 {
		g, _ := h.group(model.AnyPort)
		return g.RateBitsPerSecond
	}
	testnet.Until(t, "both are seen to send", func() bool { return len(h.status().Pairs) == 2 })
	report(1, 0)
	report(2, 10)
	const share = 50_000_000 / 4
	// A class is left alone for less than a hundredth.
	has := func(want uint64) func() bool {
		return func() bool { now := rate(); return now >= want*98/100 && now <= want*101/100 }
	}
	testnet.Until(t, "it has its share", has(share))
	for range 100 { // of the loop's turns, in each of which its rate would grow
		time.Sleep(time.Duration(h.settings.TauMicros) * time.Microsecond)
		if now := rate(); now > share*101/100 {
			t.Fatalf("%d bit/s, more than its share", now)
		}
	}
	h.agent.decisions.ApplyPolicies("node", []model.EndpointPolicy{policy("vm0", 1), policy("vm1", 1)})
	testnet.Until(t, "it has its share by the new weights", has(2*share))
	ends[1]()
	testnet.Until(t, "the other's share is its own", has(4*share))
}

// dial is what the VM's stack makes of a connection to the far side within a while.
func (s *site) dial(address string, within time.Duration) (err error) {
	s.vm.Do(func() error {
		var connection net.Conn
		if connection, err = net.DialTimeout("tcp4", address, within); err == nil {
			err = connection.Close()
		}
		return nil
	})
	return err
}

// While most of what a VM sends to a destination is marked it opens no connection to it; what it has goes on, and
// what it tried is there as soon as that is over: TCP tries by itself.
func TestConnectionsToACongestedDestinationAreRefused(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, func(c *config.Host) {
		hygenicc(config.FeedbackLink)(c)
		c.HyGenICC.RefuseConnectionsAbove = 0.5
	})
	s.runObserved()
	var listener net.Listener
	s.far.Do(func() (err error) {
		listener, err = net.Listen("tcp4", net.JoinHostPort(peerIP.String(), "0"))
		return err
	})
	t.Cleanup(func() { listener.Close() })
	address := listener.Addr().String()
	testnet.Until(t, "the stacks reach each other", func() bool { return s.dial(address, time.Second) == nil })
	held := s.connect()

	marks := uint64(0)
	report := func(fresh uint64) {
		marks += fresh
		s.agent.decisions.ApplyReturnedMarks("node", []model.Feedback{{
			Pair: model.Pair{Source: ownIP, Destination: peerIP}, Instance: 1, Sequence: marks + 1, CEPackets: marks}})
	}
	report(0)
	congested := testnet.Paced(t, 5*time.Millisecond, func() { report(10) })
	refuses := func() bool {
		return slices.ContainsFunc(s.status().Pairs, func(p pairs.Status) bool { return p.RefusesConnections })
	}
	testnet.Until(t, "the destination is refused", refuses)
	if err := s.dial(address, 300*time.Millisecond); err == nil {
		t.Error("a connection was opened")
	}
	if got := s.push(held, 200*time.Millisecond); got.megabitsPerSecond == 0 {
		t.Error("nothing passes by the connection that there was")
	}
	if refused := s.status().Endpoints[0].RefusedConnections; refused == 0 {
		t.Error("no refusal is counted")
	}
	opened := make(chan error, 1)
	go func() { opened <- s.dial(address, eventually) }()
	refusedBefore := s.status().Endpoints[0].RefusedConnections
	testnet.Until(t, "its first attempt is refused", func() bool {
		return s.status().Endpoints[0].RefusedConnections > refusedBefore
	})
	congested()
	if err := <-opened; err != nil {
		t.Errorf("%v: want it opened when the congestion is over", err)
	}
	testnet.Until(t, "nothing is refused", func() bool { return !refuses() })
}
