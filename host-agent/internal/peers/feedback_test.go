// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/law"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

const (
	tau      = 2500 * time.Microsecond
	testTau  = int64(tau)
	testEnd  = 4 * testTau
	testPort = model.Port("of:0000000000000001/5")
)

var (
	ownIP   = netip.MustParseAddr("10.0.0.1")
	peerIP  = netip.MustParseAddr("10.0.0.5")
	otherIP = netip.MustParseAddr("10.0.0.6")
)

func TestWhenFeedbackIsDue(t *testing.T) {
	sent := Sent{packets: 10, cePackets: 2, marked: 2, bytes: 9000, sequence: 5, nanos: 1_000_000_000,
		markedNanos: 1_000_000_000}
	soon, over, late := sent.nanos+testTau, sent.nanos+testEnd, sent.nanos+FeedbackNanos
	for name, c := range map[string]struct {
		now                    int64
		packets, marked, bytes uint64
		want                   bool
	}{
		"nothing came":                  {soon, 10, 2, 9000, false},
		"nothing came for long":         {late + FeedbackNanos, 10, 2, 9000, false},
		"a mark":                        {soon, 11, 3, 9060, true},
		"a full packet":                 {soon, 11, 2, 10500, true},
		"a full packet, marks are over": {over, 11, 2, 10500, false},
		"acknowledgements":              {soon, 20, 2, 9660, false},
		"acknowledgements, a packet's":  {soon, 35, 2, 10500, true},
		"acknowledgements, one waited":  {late, 11, 2, 9066, true},
		"just not yet":                  {late - 1, 11, 2, 10499, false},
	} {
		pair := shim.PairCounters{ReceivedPackets: c.packets, CEPackets: c.marked, ReceivedBytes: c.bytes}
		if got := sent.Due(c.now, testEnd, pair); got != c.want {
			t.Errorf("%s: due %v, want %v", name, got, c.want)
		}
	}
	if pair := (shim.PairCounters{ReceivedPackets: 11, CEPackets: 2, ReceivedBytes: 10500}); !sent.Due(over, Always, pair) {
		t.Error("a full packet is not reported at once where it always is")
	}
	byPhantom := shim.PairCounters{ReceivedPackets: 11, CEPackets: 2, PhantomCEPackets: 1, ReceivedBytes: 9060}
	if !sent.Due(soon, testEnd, byPhantom) {
		t.Error("a packet that exceeded a receive ceiling is not reported at once")
	}
	first := shim.PairCounters{ReceivedPackets: 1, ReceivedBytes: 60}
	if !(&Sent{}).Due(soon, testEnd, first) {
		t.Error("the first packet of a pair is not reported: its message is the base for the next")
	}
}

// F is the marked part of the turn's packets, however many came without marks before.
func TestPacketsBeforeAFirstMarkAreNotCountedWithIt(t *testing.T) {
	p := &Peers{pacer: engine.NewPacer(engine.DefaultPace, 0), steady: clock.NewSteady(time.Now(), clock.Nanos)}
	sent := Sent{packets: 10, bytes: 9000, sequence: 5, nanos: 1_000_000_000}
	pair := shim.PairCounters{ReceivedPackets: 40, ReceivedBytes: 54_000}
	now := sent.nanos + testTau
	if sent.Due(now, testEnd, pair) {
		t.Error("packets without marks are reported at once")
	}
	pair.ReceivedPackets, pair.CEPackets = 50, 5
	if now += testTau; !sent.Due(now, testEnd, pair) {
		t.Error("a mark is not reported at once")
	}
	if got := p.feedback(now, pair, 5, model.Pair{}, &sent); got.Packets-10 != 10 {
		t.Errorf("marks are of %d packets, want 10", got.Packets-10)
	}
	pair.ReceivedPackets, pair.ReceivedBytes = 60, 90_000
	if now += testTau; !sent.Due(now, testEnd, pair) {
		t.Error("the end of marks is not reported at once")
	}
	if got := p.feedback(now, pair, 5, model.Pair{}, &sent); got.Packets-20 != 10 {
		t.Errorf("the next packets are %d, want 10", got.Packets-20)
	}
}

// full is a device whose queue has no room for the first frame.
type full struct{ tried int }

func (f *full) Send([]byte, int) error {
	f.tried++
	if f.tried == 1 {
		return unix.ENOBUFS
	}
	return nil
}

func (f *full) Close() error { return nil }

func TestFeedbackThatADeviceRefusedIsDueAgain(t *testing.T) {
	device := &full{}
	p := &Peers{pacer: engine.NewPacer(engine.DefaultPace, 0), steady: clock.NewSteady(time.Now(), clock.Nanos), instance: 1}
	p.sender = sender{socket: device, status: &p.status,
		encoder: wire.Encoder{Protocol: wire.DefaultProtocol, Keys: &wire.Keyring{}, AllowUnsigned: true}}
	to := contact{own: ownIP, other: peerIP, path: shim.ReturnPath{Ifindex: 1}}
	pair := shim.PairCounters{ReceivedPackets: 3, CEPackets: 3, ReceivedBytes: 4500}
	var sent Sent
	deliver := func() bool {
		return p.deliver(testTau, pair, 3, model.Pair{Source: peerIP, Destination: ownIP}, to, &sent)
	}
	if deliver() || sent.HasBegun() || !sent.Due(testTau, testEnd, pair) {
		t.Errorf("what was refused counts as reported: %+v", sent)
	}
	if !deliver() || !sent.HasBegun() || sent.Due(testTau, testEnd, pair) {
		t.Errorf("what was taken counts as due: %+v", sent)
	}
	if p.status.Unsent != 1 || p.status.Sent != 1 {
		t.Errorf("%+v", p.status)
	}
}

// What the laws make of the rule: F of a data flow is 0 one report after the marks end. A flow
// whose packets are smaller and slower than the rule waits for is held to its marks for HoldSteps
// (law.TwoTimeScaleParameters) and no longer.
func TestMarkShareFallsWhenMarksEnd(t *testing.T) {
	holdSteps := law.DefaultTwoTimeScaleParameters().HoldSteps
	for name, c := range map[string]struct {
		packets, bytes uint64 // in a tau
		steps          int
	}{
		"full packets":     {4, 1514, 1},
		"one full packet":  {1, 1514, 1},
		"small packets":    {20, 120, 1},
		"acknowledgements": {3, 66, holdSteps + 1},
	} {
		t.Run(name, func(t *testing.T) {
			laws := law.NewEndpoint(func() model.Law { return law.New(model.TwoTimeScale, law.Host{}) },
				model.Bounds{CeilingBitsPerSecond: 50_000_000, Weight: 1})
			share := model.UnitShare{Port: testPort, UnitShareBitsPerSecond: 10_000_000,
				CapacityBitsPerSecond: 50_000_000, ActiveWeight: 5}
			if err := laws.SetShare(share, []netip.Addr{peerIP}, model.Terms{}); err != nil {
				t.Fatal(err)
			}
			now := int64(time.Second)
			var pair shim.PairCounters
			var sent Sent
			turn := func(marked bool) uint64 {
				now += testTau
				pair.ReceivedPackets += c.packets
				pair.ReceivedBytes += c.packets * c.bytes
				if marked {
					pair.CEPackets += c.packets
				}
				if sent.Due(now, testEnd, pair) {
					laws.Feedback(peerIP, pair.ReceivedPackets-sent.packets, pair.CEPackets-sent.cePackets)
					if marked {
						sent.mark(now)
					}
					sent = Sent{packets: pair.ReceivedPackets, cePackets: pair.CEPackets, marked: pair.CEPackets,
						bytes: pair.ReceivedBytes, sequence: 1, nanos: now, markedNanos: sent.markedNanos}
				}
				laws.Step(now, 1)
				state, _ := laws.Group(0)
				return state.LimitBitsPerSecond
			}
			var ducked uint64
			for range 20 {
				ducked = turn(true)
			}
			for step := 1; ; step++ {
				// While F is 1 the limit stays at 0.3 of the share; a step with F = 0 gives 0.06 back.
				if limit := turn(false); limit > ducked*115/100 {
					if step > c.steps {
						t.Errorf("F fell to 0 after %d steps, want %d", step, c.steps)
					}
					return
				}
				if step > 2*holdSteps {
					t.Fatal("F stays")
				}
			}
		})
	}
}
