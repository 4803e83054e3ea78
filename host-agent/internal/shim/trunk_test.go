// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"math/bits"
	"net/netip"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// inVLAN is a program behind another one that gives a frame its tag as the kernel does, which a test run cannot.
func (f *fixture) inVLAN(program *ebpf.Program, protocol, tci uint16) *ebpf.Program {
	f.t.Helper()
	calls, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.ProgramArray, KeySize: 4, ValueSize: 4, MaxEntries: 1})
	if err == nil {
		f.t.Cleanup(func() { _ = calls.Close() })
		err = calls.Put(uint32(0), program)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	tagging, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.SchedCLS, AttachType: attachTypeOf(f, program), License: "Apache-2.0",
		Instructions: asm.Instructions{
			asm.Mov.Reg(asm.R6, asm.R1),
			asm.Mov.Imm(asm.R2, int32(bits.ReverseBytes16(protocol))),
			asm.Mov.Imm(asm.R3, int32(tci)),
			asm.FnSkbVlanPush.Call(),
			asm.Mov.Reg(asm.R1, asm.R6),
			asm.LoadMapPtr(asm.R2, calls.FD()),
			asm.Mov.Imm(asm.R3, 0),
			asm.FnTailCall.Call(),
			asm.Mov.Imm(asm.R0, 1), // it did not work
			asm.Return(),
		},
	})
	if err != nil {
		f.t.Fatalf("%+v", err)
	}
	f.t.Cleanup(func() { _ = tagging.Close() })
	return tagging
}

func attachTypeOf(f *fixture, program *ebpf.Program) ebpf.AttachType {
	if program == f.objects.ToVm {
		return ebpf.AttachTCXEgress
	}
	return ebpf.AttachTCXIngress
}

const (
	ownVLAN      = 10
	secondVLAN   = 20
	secondOnVLAN = endpointIndex + 1
)

var second4 = netip.MustParseAddr("10.0.0.2")

// withTrunk has the fixture's endpoint be that of ownVLAN, another that of secondVLAN, with the same MAC; none has no VLAN.
func withTrunk(t *testing.T) *fixture {
	f := newFixture(t)
	options := EndpointOptions{AntiSpoof: true, PassVLANs: true}
	err := errors.Join(
		f.vacate(model.Place{Ifindex: testIfindex}),
		f.AddEndpoint(endpointIndex, model.Place{Ifindex: testIfindex, VLAN: ownVLAN}, []netip.Addr{own4}, options),
		f.SetMAC(endpointIndex, testnet.VMMAC[:]),
		f.AddEndpoint(secondOnVLAN, model.Place{Ifindex: testIfindex, VLAN: secondVLAN}, []netip.Addr{second4}, options),
		f.SetMAC(secondOnVLAN, testnet.VMMAC[:]),
		f.GiveFlows(secondOnVLAN),
	)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestEachVLANOfATrunkIsItsEndpoints(t *testing.T) {
	const provider = unix.ETH_P_8021AD
	for _, c := range []struct {
		name          string
		source        netip.Addr
		protocol, tci uint16
		sender        int // whose it is; 0: nobody's
		passes        bool
		twice         bool // it has another tag behind that one
	}{
		{"own", own4, unix.ETH_P_8021Q, ownVLAN, endpointIndex, true, false},
		{"own, with a priority", own4, unix.ETH_P_8021Q, 5<<13 | ownVLAN, endpointIndex, true, false},
		{"two tags", own4, unix.ETH_P_8021Q, ownVLAN, endpointIndex, false, true},
		{"second's own", second4, unix.ETH_P_8021Q, secondVLAN, secondOnVLAN, true, false},
		{"second's address", second4, unix.ETH_P_8021Q, ownVLAN, endpointIndex, false, false},
		{"address in second's VLAN", own4, unix.ETH_P_8021Q, secondVLAN, secondOnVLAN, false, false},
		{"in no endpoint's VLAN", own4, unix.ETH_P_8021Q, 30, 0, false, false},
		{"a provider's tag", own4, provider, ownVLAN, 0, false, false},
		{"without VLAN", own4, unix.ETH_P_8021Q, 5 << 13, 0, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := withTrunk(t)
			described := udpOut()
			described.Source = c.source
			frame := described.Build()
			if c.twice {
				frame = testnet.Tagged(frame, 7)
			}
			result := f.run(f.inVLAN(f.objects.FromVm, c.protocol, c.tci), frame, skbContext{})
			if passed := result.verdict == verdictNext; passed != c.passes {
				t.Errorf("verdict %d, want that it passes: %v", result.verdict, c.passes)
			}
			if class := result.context.Priority >> 5 & 0x7ff; c.passes && int(class) != c.sender {
				t.Errorf("class of endpoint %d, want %d", class, c.sender)
			}
			for _, index := range []int{endpointIndex, secondOnVLAN} {
				counters := f.Endpoint(index)
				sent, spoofed := index == c.sender && c.passes, index == c.sender && !c.passes
				if (counters.SentPackets == 1) != sent || (counters.SpoofedPackets == 1) != spoofed {
					t.Errorf("endpoint %d: %d sent, %d spoofed", index, counters.SentPackets, counters.SpoofedPackets)
				}
			}
			if held := f.Totals().HeldPackets; (held == 1) != (c.sender == 0) {
				t.Errorf("%d held, whose it is %d", held, c.sender)
			}
		})
	}
}

func TestATrunksUntaggedEndpointAnswersForOtherVLANs(t *testing.T) {
	for _, passVLANs := range []bool{false, true} {
		f := withTrunk(t)
		place, options := model.Place{Ifindex: testIfindex}, EndpointOptions{AntiSpoof: true, PassVLANs: passVLANs}
		const native = secondOnVLAN + 1
		err := errors.Join(f.AddEndpoint(native, place, []netip.Addr{other4}, options), f.SetMAC(native, testnet.VMMAC[:]), f.GiveFlows(native))
		if err != nil {
			t.Fatal(err)
		}
		frame := udpOut()
		frame.Source = other4
		if verdict := f.fromVM(frame).verdict; verdict != verdictNext {
			t.Errorf("without a tag: verdict %d, want next", verdict)
		}
		verdict := f.run(f.inVLAN(f.objects.FromVm, unix.ETH_P_8021Q, 30), frame.Build(), skbContext{}).verdict
		if counters := f.Endpoint(native); (verdict == verdictNext) != passVLANs || (counters.SpoofedPackets == 1) == passVLANs {
			t.Errorf("VLANs pass %v: verdict %d, %d spoofed", passVLANs, verdict, counters.SpoofedPackets)
		}
	}
}

// An address belongs to one endpoint, in whatever VLAN.
func TestAnAddressIsNotLearnedInASecondVLAN(t *testing.T) {
	f := withTrunk(t)
	place := model.Place{Ifindex: testIfindex, VLAN: secondVLAN}
	options := EndpointOptions{AntiSpoof: true, Learn: true, PassVLANs: true}
	if err := errors.Join(f.AddEndpoint(secondOnVLAN, place, nil, options), f.SetMAC(secondOnVLAN, testnet.VMMAC[:])); err != nil {
		t.Fatal(err)
	}
	for _, source := range []netip.Addr{own4, second4} { // the second learns no other by a packet of IP alone
		frame := udpOut()
		frame.Source = source
		passes := source == second4
		verdict := f.run(f.inVLAN(f.objects.FromVm, unix.ETH_P_8021Q, secondVLAN), frame.Build(), skbContext{}).verdict
		if (verdict == verdictNext) != passes {
			t.Errorf("from %s: verdict %d, want that it passes: %v", source, verdict, passes)
		}
	}
	if refused, count := f.RefusedClaim(secondOnVLAN); refused != own4 || count != 1 {
		t.Errorf("%d claims refused, the last of %s", count, refused)
	}
}

func TestWhatComesToAVLANIsItsEndpoints(t *testing.T) {
	f := withTrunk(t)
	frame := tcpIn(testnet.ACK, testnet.CE)
	frame.Destination = second4
	f.run(f.inVLAN(f.objects.ToVm, unix.ETH_P_8021Q, secondVLAN), frame.Build(), skbContext{IngressIfindex: uplinkIfindex})
	if f.Endpoint(secondOnVLAN).CEPackets != 1 || f.Endpoint(endpointIndex).ReceivedPackets != 0 || f.onlyPair().Endpoint != secondOnVLAN {
		t.Errorf("%+v, %+v", f.Endpoint(secondOnVLAN), f.Endpoint(endpointIndex))
	}
}

// A trunk's endpoints have one MAC: it is theirs until the last of them goes.
func TestAMACStaysATrunksUntilItsLastEndpointGoes(t *testing.T) {
	f := withTrunk(t)
	const learner = secondOnVLAN + 1
	takes := func() bool {
		t.Helper()
		err := errors.Join(
			f.AddEndpoint(learner, model.Place{Ifindex: testIfindex}, nil, EndpointOptions{AntiSpoof: true, Learn: true}), f.GiveFlows(learner))
		if err != nil {
			t.Fatal(err)
		}
		frame := udpOut()
		frame.Source = other4
		return f.fromVM(frame).verdict == verdictNext
	}
	for _, index := range []int{secondOnVLAN, endpointIndex} {
		if takes() {
			t.Errorf("another takes it before endpoint %d goes", index)
		}
		vlan := map[int]uint16{secondOnVLAN: secondVLAN, endpointIndex: ownVLAN}[index]
		if _, err := f.RemoveEndpoint(index, model.Place{Ifindex: testIfindex, VLAN: vlan}, 1); err != nil {
			t.Fatal(err)
		}
	}
	if !takes() {
		t.Error("nobody takes it after the last has gone")
	}
}
