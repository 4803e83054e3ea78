// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"slices"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// threeLevels end after two and four packets of outward's 1000 bytes.
func threeLevels(c *config.Host) {
	c.Levels = &config.Levels{ThresholdBytes: []int64{2000, 4000}, DSCP: []int{24, 16, 8}, IdleMillis: 60_000}
}

// withDSCP writes the code point of an IPv4 frame.
func withDSCP(frame []byte, dscp uint8) []byte {
	header := frame[testnet.EthernetBytes : testnet.EthernetBytes+20]
	header[1] = dscp<<2 | header[1]&3
	header[10], header[11] = 0, 0
	sum := ^testnet.Sum(header)
	header[10], header[11] = uint8(sum>>8), uint8(sum)
	return frame
}

func TestLevelsAreWrittenTowardsTheNetworkAndHiddenFromVMs(t *testing.T) {
	t.Parallel()
	h := newHost(t, threeLevels).run()
	far, vm := testnet.NewCapture(t, h.far), testnet.NewCapture(t, h.vm)
	sender := testnet.NewSender(t, h.vm)
	for i, want := range []uint8{24, 24, 16, 16, 8, 8} {
		sender.Send(withDSCP(outward(ownIP, peerIP, testnet.CE), 46))
		frame := far.Next(eventually, udp)
		if dscp, ecn := testnet.DSCPOf(frame), testnet.ECNOf(frame); dscp != want || ecn != testnet.ECT0 || !testnet.HeaderIntact(frame) {
			t.Errorf("packet %d: DSCP %d, ECN %d, header intact %v; want DSCP %d", i, dscp, ecn, testnet.HeaderIntact(frame), want)
		}
	}
	answers := testnet.NewSender(t, h.far)
	for dscp, want := range map[uint8]uint8{24: 0, 16: 0, 8: 0, 46: 46} {
		answers.Send(withDSCP(inward(peerIP, ownIP, testnet.CE), dscp))
		frame := vm.Next(eventually, func(frame []byte) bool { return udp(frame) && frame[0] == 2 && frame[5] == 1 })
		if got, ecn := testnet.DSCPOf(frame), testnet.ECNOf(frame); got != want || ecn != testnet.NotECT || !testnet.HeaderIntact(frame) {
			t.Errorf("DSCP %d: the VM sees %d and ECN %d", dscp, got, ecn)
		}
	}
	s := h.status()
	if e := s.Endpoints[0].Levels; e == nil || !slices.Equal(e.SentBytes, []uint64{2000, 2000, 2000}) || e.OwnDSCPPackets != 6 || e.DemotedFlows != 0 {
		t.Errorf("%+v", e)
	}
	if l := s.Levels; l == nil || !slices.Equal(l.DSCP, []int{24, 16, 8}) || l.IdleMillis != 60_000 {
		t.Errorf("%+v", l)
	}
	if pair := s.Pairs; len(pair) != 2 {
		t.Errorf("%+v: want the pair both ways", pair)
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
	far = testnet.NewCapture(t, h.far)
	sender.Send(withDSCP(outward(ownIP, peerIP, testnet.NotECT), 46))
	if dscp := testnet.DSCPOf(far.Next(eventually, udp)); dscp != 46 {
		t.Errorf("DSCP %d after the stop", dscp)
	}
}

// A restart without levels replaces the programs that wrote them, and VMs' own DSCPs pass again.
func TestLevelsEndWithARestart(t *testing.T) {
	t.Parallel()
	h := newHost(t, threeLevels).run()
	if err := h.handsOver(); err != nil {
		t.Fatal(err)
	}
	capture := testnet.NewCapture(t, h.far)
	sender := testnet.NewSender(t, h.vm)
	send := func() uint8 {
		sender.Send(withDSCP(outward(ownIP, peerIP, testnet.NotECT), 46))
		return testnet.DSCPOf(capture.Next(eventually, udp))
	}
	if dscp := send(); dscp != 24 {
		t.Errorf("DSCP %d without an agent, want it to hold", dscp)
	}
	h.settings.Levels = nil
	h.run()
	if dscp := send(); dscp != 46 {
		t.Errorf("DSCP %d, want the VM's own", dscp)
	}
	if s := h.status(); s.Levels != nil || s.Endpoints[0].Levels != nil {
		t.Errorf("%+v, %+v: levels in the status", s.Levels, s.Endpoints[0].Levels)
	}
}

// Switches see a tunnel's outer header alone, and the kernel copies a DSCP there only if so configured.
func TestLevelsAreOutsideATunnelThatInheritsThem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		trafficClass int
		outside      uint8
	}{"inherit": {inheritClass, 24}, "not": {0, 0}} {
		t.Run(name, func(t *testing.T) {
			r := newTunnelledWith(t, c.trafficClass)
			threeLevels(&r.settings)
			r.run()
			if _, err := r.talk().Write(make([]byte, 900)); err != nil {
				t.Fatal(err)
			}
			frame := r.capture.Next(eventually, inTunnel(testnet.UDP))
			if outer, inner := testnet.DSCPOf(frame), testnet.DSCPOf(frame[outerBytes:]); outer != c.outside || inner != 24 {
				t.Errorf("DSCP %d outside, %d inside, want %d and 24", outer, inner, c.outside)
			}
			if outer, inner := testnet.ECNOf(frame), testnet.ECNOf(frame[outerBytes:]); outer != testnet.ECT0 || inner != testnet.ECT0 {
				t.Errorf("ECN %d outside, %d inside, want ECT(0) twice", outer, inner)
			}
		})
	}
}

// A real connection, super-packets and all, goes through all levels and has what it had without.
func TestTCPFlowsChangeLevelsAsTheySend(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	threeLevels(&s.settings)
	s.settings.Levels.ThresholdBytes = []int64{20_000, 200_000}
	s.run()
	s.limit("vm0", 20_000_000)
	var got transfer
	for range rateAttempts {
		connection := s.connect()
		got = s.push(connection, 2*time.Second)
		s.abort(connection)
		if got.megabitsPerSecond > 17 {
			break
		}
	}
	t.Logf("%+v", got)
	if got.megabitsPerSecond < 17 {
		t.Errorf("%.1f of 20 Mbit/s", got.megabitsPerSecond)
	}
	e := s.status().Endpoints[0]
	if sent := e.Levels.SentBytes; sent[0] < 20_000 || sent[1] < 100_000 || sent[2] < 1_000_000 || sent[0] > uint64(rateAttempts)*100_000 {
		t.Errorf("%d bytes by levels", sent)
	}
	// A status reads one counter after the other, and the connections' last packets may pass in between.
	testnet.Until(t, "nine tenths to all of the endpoint's bytes counted by levels", func() bool {
		e := s.status().Endpoints[0]
		total := e.Levels.SentBytes[0] + e.Levels.SentBytes[1] + e.Levels.SentBytes[2]
		return total <= e.TxBytes && total >= e.TxBytes*9/10
	})
}

// A tenant that opens a connection for each request has half of its limit by other levels than the last.
func TestPriorityIsHalfOfALimit(t *testing.T) {
	t.Parallel()
	h := newHost(t, threeLevels).run()
	h.limit("vm0", 10_000_000)
	sender := testnet.NewSender(t, h.vm)
	before, began, port := h.status().Endpoints[0].Levels.SentBytes, time.Now(), uint16(0)
	for time.Since(began) < 500*time.Millisecond { // the measurement's length, five bursts
		frame := outward(ownIP, peerIP, testnet.NotECT)
		port++
		frame[34], frame[35] = uint8(port>>8), uint8(port)
		sender.Send(frame)
	}
	e := h.status().Endpoints[0].Levels
	took := time.Since(began).Seconds()
	early := e.SentBytes[0] + e.SentBytes[1] - before[0] - before[1]
	// Half of 10 Mbit/s, and a burst of 100 ms.
	if most := uint64(625_000 * (took + 0.1) * 1.01); early > most || early < most/2 {
		t.Errorf("%d bytes by the first two levels in %.2f s, want %d at most, and half of that", early, took, most)
	}
	if e.DemotedFlows == 0 {
		t.Error("nothing counted")
	}
}
