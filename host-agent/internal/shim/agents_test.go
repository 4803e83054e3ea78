// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// stranger4 and stranger6 have no agent.
var (
	stranger4 = netip.MustParseAddr("10.0.0.7")
	stranger6 = netip.MustParseAddr("fd00::7")
)

// expectOutward sends frames with each ECN field to a destination, and checks what leaves.
func (f *fixture) expectOutward(what string, frame testnet.Frame, want map[uint8]uint8) {
	f.t.Helper()
	for sent, want := range want {
		frame.ECN = sent
		result := f.fromVM(frame)
		if got := testnet.ECNOf(result.frame); got != want || !testnet.HeaderIntact(result.frame) {
			f.t.Errorf("%s: ECN %d leaves as %d, want %d", what, sent, got, want)
		}
	}
}

// A host without an agent must not get what no VM has sent: it refuses ECN for a SYN that arrives as ECT, and slows nobody
// down whom routers mark.
func TestToHostsWithoutAnAgentECNLeavesAsTheVMSentIt(t *testing.T) {
	asSent := map[uint8]uint8{
		testnet.NotECT: testnet.NotECT, testnet.ECT0: testnet.ECT0, testnet.ECT1: testnet.ECT1, testnet.CE: testnet.ECT0,
	}
	toAgent := map[uint8]uint8{
		testnet.NotECT: testnet.ECT0, testnet.ECT0: testnet.ECT0, testnet.ECT1: testnet.ECT1, testnet.CE: testnet.ECT0,
	}
	f := newFixture(t)
	for name, to := range map[string]struct{ own, stranger netip.Addr }{"IPv4": {own4, stranger4}, "IPv6": {own6, stranger6}} {
		syn, datagram := tcpOut(testnet.SYN|testnet.ECE|testnet.CWR), udpOut()
		syn.Source, syn.Destination = to.own, to.stranger
		datagram.Source, datagram.Destination = to.own, to.stranger
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		f.expectOutward(name+" SYN", syn, asSent)
		f.expectOutward(name+" datagram", datagram, asSent)
		must(f.SetHasAgent(to.stranger, true)) // it has answered
		f.expectOutward(name+" SYN to an agent", syn, toAgent)
		f.expectOutward(name+" datagram to an agent", datagram, toAgent)
		must(f.SetHasAgent(to.stranger, false))
		f.expectOutward(name+" once it has none", datagram, asSent)
		f.Sign(true)
		f.expectOutward(name+" signed SYN", syn, map[uint8]uint8{testnet.NotECT: testnet.ECT1, testnet.CE: testnet.ECT1})
		segment := syn
		segment.TCPFlags = testnet.ACK
		f.expectOutward(name+" segment beside signed ones", segment, map[uint8]uint8{testnet.NotECT: testnet.NotECT, testnet.ECT1: testnet.ECT0})
		f.Sign(false)
		f.DeclareToAll(true)
		f.expectOutward(name+" to all", datagram, toAgent)
		f.DeclareToAll(false)
	}
}

// Nobody but the VM slows down for the marks of a peer without an agent, so that it must see them.
func TestFromHostsWithoutAnAgentECNArrivesAsItIs(t *testing.T) {
	for name, preserve := range map[string]bool{"preserve": true, "clear": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.SetOptions(endpointIndex, EndpointOptions{AntiSpoof: true, PreserveECN: preserve})
			datagram := testnet.Frame{Source: stranger4, Destination: own4, Protocol: testnet.UDP, PayloadBytes: 30}
			segment := tcpIn(testnet.ACK, 0)
			segment.Source = stranger4
			for ecn := range uint8(4) {
				datagram.ECN, segment.ECN = ecn, ecn
				for _, frame := range []testnet.Frame{datagram, segment} {
					if got := testnet.ECNOf(f.toVM(frame).frame); got != ecn {
						t.Errorf("protocol %d: ECN %d arrives as %d", frame.Protocol, ecn, got)
					}
				}
			}
			// Its agent may be about to become known here.
			segment.TCPFlags, segment.ECN = testnet.SYN|testnet.ECE|testnet.CWR, testnet.ECT0
			if got := testnet.ECNOf(f.toVM(segment).frame); got != testnet.NotECT {
				t.Errorf("a SYN arrives with ECN %d", got)
			}
		})
	}
}
