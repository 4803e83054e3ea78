// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"net/netip"
	"os"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// systemClass is where what is not sparse goes.
const systemClass = htb.Handle | endpointIndex<<5 | bulkLeaf

// bulkLeaf is LEAF_BULK of bpf/shim.c.
const bulkLeaf = 3

// withSystem makes the fixture's endpoint that of the host's own traffic.
func withSystem(t testing.TB, system System) *fixture {
	t.Helper()
	f := newFixture(t)
	f.SetOptions(endpointIndex, EndpointOptions{})
	f.SetSparse(endpointIndex, 0, htb.Sparse{})
	if err := f.SetSystem(system); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) fromHost(frame []byte, context skbContext) outcome {
	f.t.Helper()
	return f.run(f.objects.FromHost, frame, context)
}

// withDSCP is a frame with that code point.
func withDSCP(frame testnet.Frame, dscp uint8) []byte {
	frame.DSCP = dscp
	return frame.Build()
}

func TestTheHostsOwnTrafficIsClassified(t *testing.T) {
	v4, v6, other := udpOut(), udpOut(), udpOut()
	v6.Source, v6.Destination = own6, peer6
	other.Source = other4
	control := udpOut()
	control.Protocol = testProtocol
	prefixes := func(texts ...string) (all []netip.Prefix) {
		for _, text := range texts {
			all = append(all, netip.MustParsePrefix(text))
		}
		return all
	}
	for _, c := range []struct {
		name    string
		system  System
		frame   []byte
		context skbContext
		want    bool
	}{
		{"its address", System{Sources: prefixes("10.0.0.1/32")}, v4.Build(), skbContext{}, true},
		{"within a prefix", System{Sources: prefixes("192.0.2.0/24", "10.0.0.0/29")}, other.Build(), skbContext{}, true},
		{"outside it", System{Sources: prefixes("10.0.0.0/30", "fd00::/64")}, other.Build(), skbContext{}, false},
		{"everything of IPv4", System{Sources: prefixes("0.0.0.0/0")}, other.Build(), skbContext{}, true},
		{"of which IPv6 is none", System{Sources: prefixes("0.0.0.0/0")}, v6.Build(), skbContext{}, false},
		{"IPv6", System{Sources: prefixes("fd00::/64")}, v6.Build(), skbContext{}, true},
		{"IPv6 outside", System{Sources: prefixes("fd00:0:0:1::/64")}, v6.Build(), skbContext{}, false},
		{"its DSCP", System{DSCPs: []uint8{10, 46}}, withDSCP(v4, 46), skbContext{}, true},
		{"another DSCP", System{DSCPs: []uint8{10, 46}}, withDSCP(v4, 45), skbContext{}, false},
		{"IPv6's DSCP", System{DSCPs: []uint8{46}}, withDSCP(v6, 46), skbContext{}, true},
		{"DSCP 63", System{DSCPs: []uint8{63}}, withDSCP(v6, 63), skbContext{}, true},
		{"one of them is enough", System{Sources: prefixes("192.0.2.0/24"), DSCPs: []uint8{10}}, withDSCP(v4, 10), skbContext{}, true},
		{"nothing is named", System{}, v4.Build(), skbContext{}, false},
		{"a socket's own priority", System{Sources: prefixes("10.0.0.1/32")}, v4.Build(), skbContext{Priority: 6}, true},
		{"a VM's class", System{Sources: prefixes("10.0.0.1/32")}, v4.Build(), skbContext{Priority: htb.OpenClass}, false},
		{"forwarded", System{Sources: prefixes("10.0.0.1/32")}, v4.Build(), skbContext{IngressIfindex: testIfindex}, false},
		{"an agent's message", System{Sources: prefixes("10.0.0.1/32")}, control.Build(), skbContext{}, false},
		{"no IP", System{Sources: prefixes("0.0.0.0/0"), DSCPs: []uint8{0}}, testnet.ARP(testnet.VMMAC, own4, peer4), skbContext{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := withSystem(t, c.system)
			result := f.fromHost(c.frame, c.context)
			want := c.context.Priority
			if c.want {
				want = systemClass
			}
			if result.verdict != verdictNext || result.context.Priority != want {
				t.Errorf("verdict %d, class %x, want %x", result.verdict, result.context.Priority, want)
			}
			if sent := f.Endpoint(endpointIndex).SentPackets; (sent == 1) != c.want {
				t.Errorf("%d packets counted", sent)
			}
			if c.want && testnet.ECNOf(result.frame) != testnet.ECT0 {
				t.Errorf("ECN %d, want ECT(0)", testnet.ECNOf(result.frame))
			}
		})
	}
}

func TestTheHostsECNFieldIsUnchangedBelowATunnel(t *testing.T) {
	f := withSystem(t, System{DSCPs: []uint8{0}})
	f.SetOptions(endpointIndex, EndpointOptions{KeepECN: true})
	result := f.fromHost(udpOut().Build(), skbContext{})
	if result.context.Priority != systemClass || testnet.ECNOf(result.frame) != testnet.NotECT {
		t.Errorf("class %x, ECN %d", result.context.Priority, testnet.ECNOf(result.frame))
	}
}

func TestPacketsReceivedByTheHostAreCounted(t *testing.T) {
	f := withSystem(t, System{DSCPs: []uint8{0}})
	toHost := func(frame testnet.Frame) outcome {
		return f.run(f.objects.ToHost, frame.Build(), skbContext{IngressIfindex: uplinkIfindex})
	}
	if ecn := testnet.ECNOf(toHost(tcpIn(testnet.ACK, testnet.CE)).frame); ecn != testnet.NotECT {
		t.Errorf("ECN %d, want Not-ECT", ecn)
	}
	for range 2 {
		toHost(tcpIn(testnet.ACK, testnet.ECT0))
	}
	pair := f.onlyPair()
	if pair.ReceivedPackets != 3 || pair.CEPackets != 1 || !pair.Inward || pair.Endpoint != endpointIndex {
		t.Errorf("%+v, want 3 packets, one marked", pair)
	}
	stranger := tcpIn(testnet.ACK, testnet.CE)
	stranger.Destination = other4
	if ecn := testnet.ECNOf(toHost(stranger).frame); ecn != testnet.CE {
		t.Errorf("ECN %d of what is for somebody else, want CE", ecn)
	}
	if e := f.Endpoint(endpointIndex); e.ReceivedPackets != 3 || e.CEPackets != 1 {
		t.Errorf("%+v, want 3 packets", e)
	}

	// A connection that has agreed on ECN gets what its peer sent.
	offer, agreement := tcpOut(testnet.SYN|testnet.ECE|testnet.CWR), tcpIn(testnet.SYN|testnet.ACK|testnet.ECE, testnet.NotECT)
	f.fromHost(offer.Build(), skbContext{})
	toHost(agreement)
	if ecn := testnet.ECNOf(toHost(tcpIn(testnet.ACK, testnet.CE)).frame); ecn != testnet.ECT0 {
		t.Errorf("ECN %d, want ECT(0)", ecn)
	}
}

func TestCgroupsAreAddedAndRemoved(t *testing.T) {
	f := withSystem(t, System{Cgroups: 1})
	if err := f.SetSystemCgroup(0, nil); err != nil {
		t.Errorf("forget a cgroup that was never set: %v", err)
	}
	directory, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	if err := f.SetSystemCgroup(0, directory); err == nil {
		t.Error("a directory that is no cgroup is taken")
	}
	// A test run's packet has no socket, hence no cgroup.
	if class := f.fromHost(udpOut().Build(), skbContext{}).context.Priority; class != 0 {
		t.Errorf("class %x without a cgroup", class)
	}
}
