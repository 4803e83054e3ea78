// SPDX-License-Identifier: Apache-2.0

package port

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/mapped"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	testBuffer    = 20
	testThreshold = 5
)

// wire is a port between two devices, with the far ends in hand:
//
//	left -- in [port] out -- right
type wire struct {
	t        *testing.T
	port     *Port
	settings config.Port
	left     netlink.Link
	right    netlink.Link
}

func newWire(t *testing.T, change func(*config.Port)) *wire {
	t.Helper()
	testnet.Enter(t)
	left, _ := testnet.Veth(t, "left", "in")
	right, _ := testnet.Veth(t, "right", "out")
	directory := t.TempDir()
	settings := config.Port{
		Port: "of:0000000000000001/5", Ingress: "in", Egress: "out",
		CapacityMbps: 2, BufferPackets: testBuffer, MarkThresholdPackets: testThreshold,
		NonEct: config.NonEctPass, Reverse: true,
		RunDirectory: filepath.Join(directory, "run"), BPFDirectory: filepath.Join(directory, "bpf"),
	}
	if change != nil {
		change(&settings)
	}
	p, err := start(settings, programs)
	if err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	w := &wire{t, p, settings, left, right}
	t.Cleanup(func() {
		if w.port != nil {
			_ = w.port.Stop()
		}
	})
	return w
}

func (w *wire) status() Status {
	w.t.Helper()
	s, err := w.port.Status()
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// burst sends frames at once and waits until the queue has let them out.
func (w *wire) burst(count int, ecn uint8) Status {
	w.t.Helper()
	frame := testnet.Frame{
		Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"),
		Protocol: testnet.UDP, ECN: ecn, PayloadBytes: 958, // 1000 bytes in all
	}.Build()
	before := w.status().ArrivedPackets
	sender := testnet.NewSender(w.t, w.left)
	for range count {
		sender.Send(frame)
	}
	var s Status
	testnet.Until(w.t, "the queue is empty again", func() bool {
		s = w.status()
		return s.ArrivedPackets == before+uint64(count) && s.BacklogPackets == 0
	})
	return s
}

func ceOnly(frame []byte) bool {
	return testnet.IPProtocol(testnet.UDP)(frame) && testnet.ECNOf(frame) == testnet.CE
}

func TestEveryPacketAndMarkIsCounted(t *testing.T) {
	w := newWire(t, nil)
	capture := testnet.NewCapture(t, w.right)
	const sent = 60
	s := w.burst(sent, testnet.ECT0)
	if s.BacklogSource != BacklogFromQdisc {
		t.Errorf("backlog from the %s, want the qdisc", s.BacklogSource)
	}
	if s.SentPackets+s.DroppedPackets != sent || s.DroppedPackets == 0 || s.DroppedNotEctPackets != 0 {
		t.Errorf("sent %d, dropped %d; want %d in sum, some dropped", s.SentPackets, s.DroppedPackets, sent)
	}
	if s.SentBytes != 1000*s.SentPackets {
		t.Errorf("%d bytes in %d packets of 1000", s.SentBytes, s.SentPackets)
	}
	var arrived [][]byte
	testnet.Until(t, "as many frames came out as the port reports", func() bool {
		arrived = append(arrived, capture.Waiting(testnet.IPProtocol(testnet.UDP))...)
		return uint64(len(arrived)) == s.SentPackets
	})
	var marked uint64
	for _, frame := range arrived {
		if !testnet.HeaderIntact(frame) {
			t.Error("a header checksum is wrong")
		}
		if testnet.ECNOf(frame) == testnet.CE {
			marked++
		}
	}
	if marked != s.MarkedPackets || marked == 0 {
		t.Errorf("%d marked frames came out, the port reports %d", marked, s.MarkedPackets)
	}
	var above uint64
	for _, count := range s.BacklogHistogram[testThreshold+1 : testBuffer] {
		above += count
	}
	if marked != above {
		t.Errorf("%d marked, but %d met a backlog above %d", marked, above, testThreshold)
	}
	if s.OverThresholdPackets != above {
		t.Errorf("%d over the threshold, want all %d, since all were ECT", s.OverThresholdPackets, above)
	}
	if s.SeenBacklog.Max > testBuffer {
		t.Errorf("backlog %d seen in a buffer of %d", s.SeenBacklog.Max, testBuffer)
	}
}

func TestNotECTAboveTheThreshold(t *testing.T) {
	for _, c := range []struct {
		policy  string
		dropped bool
	}{{config.NonEctPass, false}, {config.NonEctDrop, true}} {
		t.Run(c.policy, func(t *testing.T) {
			w := newWire(t, func(p *config.Port) { p.NonEct = c.policy })
			capture := testnet.NewCapture(t, w.right)
			s := w.burst(15, testnet.NotECT)
			if s.MarkedPackets != 0 || len(capture.Waiting(ceOnly)) != 0 {
				t.Error("a packet was marked that is not ECT")
			}
			if (s.DroppedNotEctPackets > 0) != c.dropped {
				t.Errorf("%d dropped for not being ECT", s.DroppedNotEctPackets)
			}
			if s.SentPackets+s.DroppedPackets != 15 {
				t.Errorf("sent %d + dropped %d, want 15", s.SentPackets, s.DroppedPackets)
			}
		})
	}
}

func TestWithoutThresholdNothingIsMarked(t *testing.T) {
	w := newWire(t, func(p *config.Port) { p.MarkThresholdPackets = 0 })
	if s := w.burst(15, testnet.ECT0); s.MarkedPackets != 0 {
		t.Errorf("%d marked", s.MarkedPackets)
	}
}

func TestReverseDirection(t *testing.T) {
	for name, reverse := range map[string]bool{"passed": true, "not ours": false} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, func(p *config.Port) { p.Reverse = reverse })
			capture := testnet.NewCapture(t, w.left)
			sender := testnet.NewSender(t, w.right)
			const count = 50
			for range count {
				sender.Send(testnet.Frame{
					Source: netip.MustParseAddr("10.0.0.5"), Destination: netip.MustParseAddr("10.0.0.1"),
					Protocol: testnet.UDP, ECN: testnet.ECT0, PayloadBytes: 900,
				}.Build())
			}
			// One more, forward, to know that all before it are through.
			w.burst(1, testnet.ECT0)
			want, passed := map[bool]int{true: count, false: 0}[reverse], 0
			testnet.Until(t, "what should come back has come back", func() bool {
				passed += len(capture.Waiting(testnet.IPProtocol(testnet.UDP)))
				return passed >= want
			})
			if s := w.status(); passed != want || s.ReturnedPackets != uint64(want) {
				t.Errorf("%d frames came back, the port reports %d, want %d", passed, s.ReturnedPackets, want)
			}
		})
	}
}

func TestStopRemovesAllState(t *testing.T) {
	w := newWire(t, nil)
	if err := w.port.Stop(); err != nil {
		t.Fatal(err)
	}
	w.port = nil
	for _, directory := range []string{w.settings.RunDirectory, w.settings.BPFDirectory} {
		if _, err := os.Stat(directory); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", directory, err)
		}
	}
	qdiscs, err := netlink.QdiscList(testnet.Link(t, "out"))
	if err != nil {
		t.Fatal(err)
	}
	for _, qdisc := range qdiscs {
		if qdisc.Type() != "noqueue" {
			t.Errorf("qdisc %s is still there", qdisc.Type())
		}
	}
	again, err := start(w.settings, programs)
	if err != nil {
		t.Fatalf("it cannot be started again: %v", err)
	}
	w.port = again
}

func TestAFailedStartRemovesAllState(t *testing.T) {
	w := newWire(t, nil)
	if err := w.port.Stop(); err != nil {
		t.Fatal(err)
	}
	w.port = nil
	broken := w.settings
	broken.Ingress = "absent"
	if _, err := start(broken, programs); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Fatalf("%v, want an error that names the device", err)
	}
	if _, err := os.Stat(broken.BPFDirectory); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", broken.BPFDirectory, err)
	}
}

func TestTwoAgentsDoNotShareADirectory(t *testing.T) {
	w := newWire(t, nil)
	if _, err := start(w.settings, programs); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("%v, want a refusal", err)
	}
	if s := w.burst(3, testnet.ECT0); s.SentPackets != 3 {
		t.Error("the refused agent disturbed the running one")
	}
}

// Over the threshold counts what finds more there, whatever its ECN field and whether or not the
// queue marks; what meets a full buffer does not.
func TestPacketsOverTheThresholdAreCounted(t *testing.T) {
	for _, c := range []struct {
		name         string
		marks        uint32
		ecn          uint8
		marked, over uint64
	}{
		{"marking, ECT", 1, testnet.ECT0, 4, 4},
		{"marking, not ECT", 1, testnet.NotECT, 0, 4},
		{"marking, CE already", 1, testnet.CE, 0, 4},
		{"not marking, ECT", 0, testnet.ECT0, 0, 4},
		{"not marking, not ECT", 0, testnet.NotECT, 0, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			objects, state := phantom(t)
			// Room for ten packets: those that find 6 to 9 are over the threshold of 5 and fit.
			state.ThresholdPackets, state.Marks, state.BufferPackets = testThreshold, c.marks, 10
			frame := testnet.Frame{
				Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"),
				Protocol: testnet.UDP, ECN: c.ecn, PayloadBytes: 1472,
			}.Build()
			for range 12 { // the phantom queue is capped at twice the threshold
				out := make([]byte, len(frame))
				if _, err := objects.MarkByPhantom.Run(&ebpf.RunOptions{Data: frame, DataOut: out}); err != nil {
					t.Fatal(err)
				}
			}
			if got := countersOf(&state.Levels[0]); got.OverThresholdPackets != c.over || got.MarkedPackets != c.marked {
				t.Errorf("%d over the threshold, %d marked; want %d, %d",
					got.OverThresholdPackets, got.MarkedPackets, c.over, c.marked)
			}
		})
	}
}

// phantom loads the program for kernels that hide the qdisc; its queue drains nothing by itself.
func phantom(t *testing.T) (*bpfObjects, *bpfPort) {
	t.Helper()
	objects, state := loaded(t)
	state.BytesPerSecond = 1
	return objects, state
}

// loaded gives the programs, and the state of the port that they work on.
func loaded(t testing.TB) (*bpfObjects, *bpfPort) {
	t.Helper()
	var objects bpfObjects
	if err := loadBpfObjects(&objects, nil); err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	t.Cleanup(func() { _ = objects.Close() })
	ports, err := mapped.Open[bpfPort](objects.Ports)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ports.Close() })
	return &objects, ports.At(0)
}

// The program for kernels that hide the qdisc.
func TestPhantomQueueMarksAndIsCapped(t *testing.T) {
	objects, state := phantom(t)
	state.ThresholdPackets, state.Marks, state.BufferPackets = testThreshold, 1, 1000
	frame := testnet.Frame{
		Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"),
		Protocol: testnet.UDP, ECN: testnet.ECT0, PayloadBytes: 1472,
	}.Build()
	first := 0
	for i := range 50 {
		out := make([]byte, len(frame))
		if _, err := objects.MarkByPhantom.Run(&ebpf.RunOptions{Data: frame, DataOut: out}); err != nil {
			t.Fatal(err)
		}
		if testnet.ECNOf(out) == testnet.CE && first == 0 {
			first = i
		}
	}
	if first != testThreshold+1 {
		t.Errorf("the first mark is on packet %d, want %d", first, testThreshold+1)
	}
	if limit := uint64(2 * testThreshold * 1514); state.PhantomBytes > limit {
		t.Errorf("the phantom queue holds %d bytes, at most %d", state.PhantomBytes, limit)
	}
	state.BytesPerSecond = 1 << 40
	if _, err := objects.MarkByPhantom.Run(&ebpf.RunOptions{Data: frame, DataOut: make([]byte, len(frame))}); err != nil {
		t.Fatal(err)
	}
	if state.PhantomBytes != uint64(len(frame)) {
		t.Errorf("after draining it holds %d bytes, want the last frame's %d", state.PhantomBytes, len(frame))
	}
}

func BenchmarkMarkByPhantom(b *testing.B) {
	var objects bpfObjects
	if err := loadBpfObjects(&objects, nil); err != nil {
		b.Fatal(err)
	}
	defer objects.Close()
	frame := testnet.Frame{
		Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"),
		Protocol: testnet.UDP, ECN: testnet.ECT0, PayloadBytes: 1472,
	}.Build()
	const repetitions = 100_000
	var nanos, runs float64
	for b.Loop() {
		_, duration, err := objects.MarkByPhantom.Benchmark(frame, repetitions, nil)
		if err != nil {
			b.Fatal(err)
		}
		nanos += float64(duration.Nanoseconds())
		runs++
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(nanos/runs, "ns/packet")
}

// A controller refuses a report in which more packets are marked than were over the threshold.
func TestNoReadingHasMoreMarksThanPacketsOverTheThreshold(t *testing.T) {
	const frames = 300_000
	objects, state := phantom(t)
	state.ThresholdPackets, state.Marks, state.BufferPackets = 1, 1, 1000
	frame := testnet.Frame{
		Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"),
		Protocol: testnet.UDP, ECN: testnet.ECT0, PayloadBytes: 1472,
	}.Build()
	arrived := make(chan error, 1)
	go func() {
		for range frames { // one run with repetitions would have the first marked, and no more
			if _, err := objects.MarkByPhantom.Run(&ebpf.RunOptions{Data: frame, DataOut: make([]byte, len(frame))}); err != nil {
				arrived <- err
				return
			}
		}
		arrived <- nil
	}()
	var last QueueCounters
	for {
		now := countersOf(&state.Levels[0])
		over, marked := now.OverThresholdPackets-last.OverThresholdPackets, now.MarkedPackets-last.MarkedPackets
		if marked > over {
			t.Errorf("%d of %d packets over the threshold are marked", marked, over)
			break
		}
		last = now
		select {
		case err := <-arrived:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
	<-arrived
}
