// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// shortRecipes is how many frames `go test` tries beside the corpus: a second's worth.
const shortRecipes = 20_000

// fuzzRecipes hands the corpus, and random recipes, to a check.
func fuzzRecipes(f *testing.F, check func(t *testing.T, data []byte)) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 32 {
		f.Add(randomRecipe(random))
	}
	f.Fuzz(check)
}

func randomRecipe(random *rand.Rand) []byte {
	data := make([]byte, 16+random.IntN(120))
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

// atRandom tries many recipes at once, for tests that are not fuzzed.
func atRandom(t *testing.T, check func(t *testing.T, data []byte)) {
	random := rand.New(rand.NewPCG(3, 4))
	for range shortRecipes {
		data := randomRecipe(random)
		if check(t, data); t.Failed() {
			t.Fatalf("recipe %x", data)
		}
	}
}

func FuzzFromVM(f *testing.F) {
	fixture := newFixture(f)
	fuzzRecipes(f, fixture.checkFromVM)
}

func FuzzToVM(f *testing.F) {
	fixture := newFixture(f)
	fuzzRecipes(f, fixture.checkToVM)
}

func FuzzUplinkIn(f *testing.F) {
	fixture := newFixture(f)
	fuzzRecipes(f, fixture.checkUplinkIn)
}

func TestRandomFramesFromVM(t *testing.T)   { atRandom(t, newFixture(t).checkFromVM) }
func TestRandomFramesToVM(t *testing.T)     { atRandom(t, newFixture(t).checkToVM) }
func TestRandomFramesOnUplink(t *testing.T) { atRandom(t, newFixture(t).checkUplinkIn) }

// with runs a program as a test of its own.
func (f *fixture) with(t testing.TB, program *ebpf.Program, frame []byte, context skbContext) outcome {
	f.t = t
	return f.run(program, frame, context)
}

// runnable frames are those that the kernel runs programs on: it refuses IP without a whole header.
func runnable(frame []byte) bool {
	if len(frame) < testnet.EthernetBytes {
		return false
	}
	needed := map[uint16]int{0x0800: 20, 0x86dd: 40}[binary.BigEndian.Uint16(frame[12:])]
	return len(frame) >= testnet.EthernetBytes+needed
}

// superPacket is the context of a frame that stands for several, or of a plain one.
func (r *recipe) superPacket() skbContext {
	if r.seldom() {
		return skbContext{GSOSegments: uint32(r.pick(40)), GSOSize: 1448}
	}
	return skbContext{}
}

func (f *fixture) checkFromVM(t *testing.T, data []byte) {
	r := &recipe{data}
	options := EndpointOptions{AntiSpoof: !r.seldom(), PreserveECN: r.seldom()}
	f.SetOptions(endpointIndex, options)
	f.LimitResidual(endpointIndex, htb.ResidualOf(1e10, 1e6)) // more than the test sends
	enforcing := !r.seldom()
	f.SetEnforcing(enforcing)
	context := r.superPacket()
	context.Priority = uint32(r.word())
	sent := r.frame(false)
	if !runnable(sent) {
		return
	}
	result := f.with(t, f.objects.FromVm, sent, context)
	was := readFrame(sent)
	switch result.verdict {
	case verdictDrop:
		if mustPass(&was, was.source, sent) && was.spoofs(sent) == "" {
			t.Errorf("dropped for no reason: %x", sent)
		}
		return
	case verdictNext:
	default:
		t.Fatalf("verdict %d: %x", result.verdict, sent)
	}
	if options.AntiSpoof {
		if why := was.spoofs(sent); why != "" {
			t.Errorf("%s leaves a VM: %x", why, sent)
		}
	}
	if was.version != 0 && was.has(testProtocol) {
		t.Errorf("the control protocol leaves a VM: %x", sent)
	}
	if !enforcing {
		if !bytes.Equal(sent, result.frame) || result.context.Priority != htb.OpenClass {
			t.Errorf("touched although nothing is enforced: %x", sent)
		}
		return
	}
	if class := result.context.Priority; class != class0(1) && class != class0(bulkLeaf) {
		t.Errorf("class %x, not the endpoint's: %x", class, sent)
	}
	now := readFrame(result.frame)
	if now.version != 0 && (!was.mayLeaveWith(now.ecn, sent) || now.reserved) {
		t.Errorf("ECN %d, reserved bit %v leave a VM: %x", now.ecn, now.reserved, result.frame)
	}
	unchangedButECN(t, sent, result.frame)
}

// mayLeaveWith: what nobody reports is Not-ECT, what goes to an agent is ECT, and anything else as it was, but for marks.
func (r *reading) mayLeaveWith(ecn uint8, sent []byte) bool {
	switch {
	case !r.isAccountable(sent):
		return ecn == testnet.NotECT
	case slices.Contains(agents, r.destination) || r.destination == own4 || r.destination == own6:
		return ecn == testnet.ECT0 || ecn == testnet.ECT1
	case r.ecn == testnet.CE:
		return ecn == testnet.ECT0
	}
	return ecn == r.ecn
}

func class0(leaf uint32) uint32 { return class(0, leaf) }

// mustPass is true of plain packets, which must pass.
func mustPass(r *reading, local netip.Addr, frame []byte) bool {
	return (local == own4 || local == own6) && !r.source.Is4In6() && !r.destination.Is4In6() &&
		r.upper != 0 && r.upper <= len(frame) && len(r.protocols) == 1 &&
		(r.protocol() == testnet.TCP || r.protocol() == testnet.UDP)
}

// unchangedButECN checks that of a frame only the ECN field, the reserved bit and the header
// checksum changed, and that the checksum is as right or wrong as before.
func unchangedButECN(t *testing.T, before, after []byte) {
	t.Helper()
	unchangedBut(t, 3, before, after)
}

// unchangedButTrafficClass is unchangedButECN where the DSCP may have changed as well.
func unchangedButTrafficClass(t *testing.T, before, after []byte) {
	t.Helper()
	unchangedBut(t, 0xff, before, after)
}

func unchangedBut(t *testing.T, trafficClass uint16, before, after []byte) {
	t.Helper()
	if len(before) != len(after) {
		t.Errorf("%d bytes became %d", len(before), len(after))
		return
	}
	was, now := readFrame(before), readFrame(after)
	if !sameSum(was.headerSum(before), now.headerSum(after)) {
		t.Errorf("header checksum: sum %x became %x\n%x\n%x", was.headerSum(before), now.headerSum(after), before, after)
	}
	masked := bytes.Clone(after)
	undo := func(bits uint16) {
		first, old := binary.BigEndian.Uint16(masked[14:]), binary.BigEndian.Uint16(before[14:])
		binary.BigEndian.PutUint16(masked[14:], first&^bits|old&bits)
	}
	switch was.version {
	case 4:
		undo(trafficClass)
		masked[20] = masked[20]&^0x80 | before[20]&0x80
		copy(masked[24:26], before[24:26])
	case 6:
		undo(trafficClass << 4)
	}
	if !bytes.Equal(masked, before) {
		t.Errorf("more than the traffic class changed\n%x\n%x", before, after)
	}
}

func (f *fixture) checkToVM(t *testing.T, data []byte) {
	r := &recipe{data}
	options := EndpointOptions{AntiSpoof: true, PreserveECN: r.seldom()}
	f.SetOptions(endpointIndex, options)
	enforcing := !r.seldom()
	f.SetEnforcing(enforcing)
	f.SetWindow(endpointIndex, 0, htb.WindowOf(1_000_000*uint64(1+r.pick(50)), 1, 1500, 0))
	context := r.superPacket()
	if !r.seldom() {
		context.IngressIfindex = uplinkIfindex
	}
	if r.seldom() { // lets some connections be known
		opening := tcpOut(syn)
		opening.TCPOptions = r.tcpOptions()
		f.with(t, f.objects.FromVm, opening.Build(), skbContext{})
	}
	sent := r.frame(true)
	if !runnable(sent) {
		return
	}
	result := f.with(t, f.objects.ToVm, sent, context)
	was := readFrame(sent)
	switch result.verdict {
	case verdictDrop:
		if mustPass(&was, was.destination, sent) || was.ethertype == ethertypeARP {
			t.Errorf("dropped for no reason: %x", sent)
		}
		return
	case verdictNext:
	default:
		t.Fatalf("verdict %d: %x", result.verdict, sent)
	}
	if was.version != 0 && was.has(testProtocol) {
		t.Errorf("the control protocol reaches a VM: %x", sent)
	}
	if !enforcing {
		if !bytes.Equal(sent, result.frame) {
			t.Errorf("touched although nothing is enforced: %x", sent)
		}
		return
	}
	withoutWindow(t, &was, sent, result.frame)
}

// withoutWindow checks a frame that was delivered: its window is no larger, its checksums are as
// right or wrong as before, and nothing else changed but ECN.
func withoutWindow(t *testing.T, was *reading, before, after []byte) {
	t.Helper()
	restored := bytes.Clone(after)
	at := was.upper
	if at != 0 && was.protocol() == testnet.TCP && at+20 <= min(len(before), len(after)) {
		old, new := binary.BigEndian.Uint16(before[at+14:]), binary.BigEndian.Uint16(after[at+14:])
		if new > old {
			t.Errorf("window %d became %d\n%x\n%x", old, new, before, after)
		}
		// All that a checksum covers beside the window and itself is unchanged: compare these two.
		if !sameSum(testnet.Sum(evenly(before[at:])), testnet.Sum(evenly(after[at:]))) {
			t.Errorf("TCP checksum\n%x\n%x", before, after)
		}
		copy(restored[at+14:at+18], before[at+14:at+18])
	}
	unchangedButECN(t, before, restored)
}

func evenly(data []byte) []byte {
	if len(data)%2 == 1 {
		return append(bytes.Clone(data), 0)
	}
	return data
}

func (f *fixture) checkUplinkIn(t *testing.T, data []byte) {
	r := &recipe{data}
	sent := r.frame(true)
	if !runnable(sent) {
		return
	}
	before := f.Totals()
	result := f.with(t, f.objects.UplinkIn, sent, skbContext{})
	was := readFrame(sent)
	taken := f.Totals().ControlPackets - before.ControlPackets
	control := was.version != 0 && was.protocols[0] == testProtocol
	switch {
	case result.verdict == verdictNext && (control || taken != 0):
		t.Errorf("a control packet passes: %x", sent)
	case result.verdict == verdictNext && !bytes.Equal(sent, result.frame):
		t.Errorf("changed\n%x\n%x", sent, result.frame)
	case result.verdict == verdictDrop && (taken != 1 || was.version != 0 && !control):
		t.Errorf("taken off for no reason: %x", sent)
	case result.verdict != verdictNext && result.verdict != verdictDrop:
		t.Errorf("verdict %d: %x", result.verdict, sent)
	}
}
