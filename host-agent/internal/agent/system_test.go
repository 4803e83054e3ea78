// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/interfaces"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

var (
	storageIP = netip.MustParseAddr("10.0.0.9")
	adminIP   = netip.MustParseAddr("10.0.0.10")
)

// ownHost is a host with addresses of its own, whose far side is a network stack:
//
//	vm -- vm0 [bridge: storageIP, adminIP] up0 -- far
type ownHost struct {
	*host
	far     *testnet.Namespace
	capture *testnet.Capture // of what arrives there
}

func newOwnHost(t *testing.T, change func(*config.Host)) *ownHost {
	h := newHost(t, change)
	s := &ownHost{host: h, far: testnet.NewNamespace(t)}
	s.addAddress(storageIP)
	s.addAddress(adminIP)
	s.far.Take(h.host().far, net.HardwareAddr{2, 0, 0, 0, 0, 5}, peerIP.String()+"/24")
	s.far.Do(func() error {
		far, err := netlink.LinkByName("far")
		if err == nil {
			s.capture = testnet.NewCapture(t, far)
		}
		return err
	})
	// VMs' frames have the far side's MAC: a bridge floods what it does not know, and a stack may move.
	s.dial(adminIP, nil).Write([]byte{0})
	s.capture.Next(eventually, udp)
	return s
}

func (s *ownHost) addAddress(address netip.Addr) {
	s.t.Helper()
	parsed, err := netlink.ParseAddr(address.String() + "/24")
	if err == nil {
		err = netlink.AddrAdd(testnet.Link(s.t, "br0"), parsed)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *ownHost) dial(source netip.Addr, control func(fd int) error) *net.UDPConn {
	s.t.Helper()
	dialer := net.Dialer{
		LocalAddr: net.UDPAddrFromAddrPort(netip.AddrPortFrom(source, 0)),
		Control: func(_, _ string, raw syscall.RawConn) (err error) {
			if control == nil {
				return nil
			}
			if failed := raw.Control(func(fd uintptr) { err = control(int(fd)) }); failed != nil {
				return failed
			}
			return err
		},
	}
	connection, err := dialer.Dial("udp4", netip.AddrPortFrom(peerIP, 9).String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { connection.Close() })
	return connection.(*net.UDPConn)
}

// floodFrom has the host itself send 80 Mbit/s at most, until what is returned ends it.
func (s *ownHost) floodFrom(source netip.Addr, control func(fd int) error) (stop func()) {
	s.t.Helper()
	return s.floodOn(s.dial(source, control))
}

func (s *ownHost) floodOn(connection *net.UDPConn) (stop func()) {
	s.t.Helper()
	data := make([]byte, 972) // frames of 1014 bytes
	return testnet.Paced(s.t, time.Millisecond, func() {
		for range 10 {
			_, _ = connection.Write(data) // nobody listens, and queues are full
		}
	})
}

// sent is what endpoints and what nobody limits send, in Mbit/s.
func (s *ownHost) sent(length time.Duration) (system, vm, open float64) {
	s.t.Helper()
	read := func() (bytes [3]uint64) {
		now := s.status()
		for _, e := range now.Endpoints {
			at := 1
			if e.Interface == config.SystemInterface {
				at = 0
			}
			for _, g := range e.Groups {
				bytes[at] += g.SentBytes
			}
		}
		bytes[2] = now.Uplink.OpenBytes
		return bytes
	}
	before, began := read(), time.Now()
	time.Sleep(length) // the measurement's length, not a wait for something
	after, seconds := read(), time.Since(began).Seconds()
	rate := func(i int) float64 { return float64(after[i]-before[i]) * 8e-6 / seconds }
	return rate(0), rate(1), rate(2)
}

// expectSent waits until they send like that; open traffic as much at least.
func (s *ownHost) expectSent(what string, system, vm, open float64) {
	s.t.Helper()
	near := func(got, want float64) bool { return got <= want*1.02+0.1 && got >= want*0.95 }
	testnet.Until(s.t, fmt.Sprintf("%s: %v, %v, at least %v Mbit/s", what, system, vm, open), func() bool {
		gotSystem, gotVM, gotOpen := s.sent(400 * time.Millisecond)
		s.t.Logf("%s: system %.2f, VM %.2f, others %.2f Mbit/s", what, gotSystem, gotVM, gotOpen)
		return near(gotSystem, system) && near(gotVM, vm) && gotOpen >= open
	})
}

func ofStorage(c *config.Host) {
	c.System = &config.System{Sources: []string{storageIP.String() + "/32"}}
}

func TestTheHostsOwnTrafficIsAnEndpoint(t *testing.T) {
	s := newOwnHost(t, ofStorage)
	observer := s.runObserved()
	e, found := s.endpoint(config.SystemInterface)
	if !found || !slices.Equal(e.IPs, []netip.Addr{storageIP}) || e.MAC != testnet.Link(t, "br0").Attrs().HardwareAddr.String() {
		t.Fatalf("%+v, want the storage's address and the bridge's MAC", e)
	}
	observer.until("controllers receive it", func(e model.Event) bool {
		return e.Kind == model.EndpointsChanged && slices.ContainsFunc(e.Endpoints, func(e model.Endpoint) bool {
			return e.Interface == config.SystemInterface && slices.Equal(e.IPs, []netip.Addr{storageIP})
		})
	})
	flood(t, s.host.vm, outward(ownIP, peerIP, testnet.NotECT))
	endStorage := s.floodFrom(storageIP, nil)
	s.expectSent("equal weights", 25, 25, 0)
	s.apply(
		model.EndpointPolicy{Interface: config.SystemInterface, Tenant: "infrastructure", Weight: 1, CeilingBitsPerSecond: 20_000_000},
		policyFor(0, "tenant", 1, 0))
	s.expectSent("a ceiling", 20, 30, 0)
	s.apply(
		model.EndpointPolicy{Interface: config.SystemInterface, Tenant: "infrastructure", Weight: 1, GuaranteeBitsPerSecond: 40_000_000},
		policyFor(0, "tenant", 1, 0))
	s.expectSent("a guarantee", 40, 10, 0)
	endStorage()
	s.floodFrom(adminIP, nil)
	s.expectSent("others' traffic is nobody's", 0, 50, 60)
	if e, _ := s.endpoint(config.SystemInterface); e.TxPackets == 0 || e.DroppedPackets == 0 && e.BacklogBytes == 0 && e.TxBytes == 0 {
		t.Errorf("%+v: want counts", e)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	s.expectOwnTrafficFree()
}

// expectOwnTrafficFree checks that no program and no class is left for the host's own traffic.
func (s *ownHost) expectOwnTrafficFree() {
	s.t.Helper()
	if _, err := os.Stat(s.settings.BPFDirectory); !os.IsNotExist(err) {
		s.t.Errorf("pins are left: %v", err)
	}
	s.capture.Waiting(func([]byte) bool { return true })
	s.dial(storageIP, nil).Write(make([]byte, 77))
	frame := s.capture.Next(eventually, func(frame []byte) bool { return udp(frame) && len(frame) == 77+testnet.EthernetBytes+28 })
	if ecn := testnet.ECNOf(frame); ecn != testnet.NotECT {
		s.t.Errorf("ECN %d: a program still changes packets", ecn)
	}
}

func TestAKilledAgentsProgramsForTheHostAreCleanedUp(t *testing.T) {
	t.Parallel()
	s := newOwnHost(t, ofStorage)
	child := s.runChild()
	marked := func(fd int) error { return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_TOS, int(testnet.CE)) }
	s.dial(storageIP, marked).Write(make([]byte, 76))
	frame := s.capture.Next(eventually, func(frame []byte) bool { return udp(frame) && len(frame) == 76+testnet.EthernetBytes+28 })
	if ecn := testnet.ECNOf(frame); ecn != testnet.ECT0 {
		t.Fatalf("ECN %d: the agent is not at work", ecn)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if found, err := footprint.UndoEarlier(s.settings.RunDirectory, s.settings.BPFDirectory); err != nil || !found {
		t.Fatalf("cleanup: found %v, %v", found, err)
	}
	s.expectOwnTrafficFree()
}

// The agent's own programs at the uplink belong to two endpoints, and are none of another program's.
func TestOwnProgramsAtTheUplinkAreNoNeighbours(t *testing.T) {
	s := newOwnHost(t, func(c *config.Host) {
		ofStorage(c)
		c.Uplink.ReceiveCeilingMbps = 40 // so that what arrives is counted, too
	})
	s.run()
	attachPassing(t, "up0", ebpf.AttachTCXIngress, nil)
	testnet.Until(t, "a program behind them is shown", func() bool { return len(s.status().Neighbours) > 0 })
	if now := s.status(); len(now.Neighbours) != 1 || now.Neighbours[0].Before || len(now.NotEnforced) != 0 {
		t.Errorf("%+v, not enforced: %q", now.Neighbours, now.NotEnforced)
	}
}

// Each segment of a super-packet in a tunnel has the tunnel's headers and its own.
func TestTheHostsOwnTunnelsCountAsOnTheWire(t *testing.T) {
	s := newOwnHost(t, ofStorage)
	s.run()
	testnet.Until(t, "the host is an endpoint", func() bool { return s.hasEndpoint(config.SystemInterface) })
	attributes := netlink.NewLinkAttrs()
	attributes.Name = "vx0"
	tunnel := &netlink.Vxlan{
		LinkAttrs: attributes, VxlanId: 5, SrcAddr: storageIP.AsSlice(), Group: peerIP.AsSlice(), Port: 4789,
	}
	if err := netlink.LinkAdd(tunnel); err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkSetUp(tunnel); err != nil {
		t.Fatal(err)
	}
	before, _ := s.endpoint(config.SystemInterface)
	for name, inner := range map[string]testnet.Frame{
		"TCP": {Source: ownIP, Destination: peerIP, Protocol: testnet.TCP, TCPFlags: testnet.ACK, PayloadBytes: 5600},
		"UDP": {Source: ownIP, Destination: peerIP, Protocol: testnet.UDP, PayloadBytes: 5600},
	} {
		frame := inner.Build()
		testnet.NewSender(t, testnet.Link(t, "vx0")).SendSuper(frame, 1400)
		const outer = 14 + 20 + 8 + 8
		headers := uint64(outer + len(frame) - 5600)
		var e endpoints.Status
		testnet.Until(t, name+" is counted", func() bool {
			e, _ = s.endpoint(config.SystemInterface)
			return e.TxPackets > before.TxPackets
		})
		if packets, bytes := e.TxPackets-before.TxPackets, e.TxBytes-before.TxBytes; packets != 4 || bytes != 5600+4*headers {
			t.Errorf("%s: %d packets, %d bytes; want 4 and %d", name, packets, bytes, 5600+4*headers)
		}
		before = e
	}
}

func TestWithoutSystemSectionNoProgramIsInstalled(t *testing.T) {
	s := newOwnHost(t, nil)
	s.run()
	if s.hasEndpoint(config.SystemInterface) {
		t.Error("there is an endpoint system")
	}
	pins, err := os.ReadDir(s.settings.BPFDirectory)
	if err != nil {
		t.Fatal(err)
	}
	for _, pin := range pins {
		if strings.Contains(pin.Name(), "host") {
			t.Errorf("%s is attached", pin.Name())
		}
	}
	s.floodFrom(storageIP, nil)
	s.expectSent("the host's own traffic is nobody's", 0, 0, 60)
}

func TestADSCPClassifiesTrafficAsTheHosts(t *testing.T) {
	const dscp = 10
	s := newOwnHost(t, func(c *config.Host) { c.System = &config.System{DSCP: []int{dscp}} })
	s.run()
	s.limit(config.SystemInterface, 20_000_000)
	end := s.floodFrom(adminIP, func(fd int) error { return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_TOS, dscp<<2) })
	s.expectSent("marked with it", 20, 0, 0)
	end()
	s.floodFrom(adminIP, nil)
	s.expectSent("not marked with it", 0, 0, 60)
}

func TestACgroupClassifiesTrafficAsTheHosts(t *testing.T) {
	cgroup := testnet.NewCgroup(t)
	cgroup.Remove() // the agent starts before the service does
	s := newOwnHost(t, func(c *config.Host) { c.System = &config.System{Cgroups: []string{cgroup.Path}} })
	s.run()
	s.limit(config.SystemInterface, 20_000_000)
	waiting := func() bool {
		return slices.ContainsFunc(s.status().Waiting, func(m interfaces.Missing) bool {
			return m.Interface == config.SystemInterface && strings.Contains(m.Reason, cgroup.Path)
		})
	}
	if !waiting() {
		t.Fatalf("%+v: want the cgroup to be waited for", s.status().Waiting)
	}
	// Made, removed and made again, as a service's is.
	for range 2 {
		cgroup.Make()
		testnet.Until(t, "it is found", func() bool { return !waiting() })
		end := s.floodFrom(adminIP, nil)
		s.expectSent("a socket outside", 0, 0, 60)
		end()
		leave := cgroup.Enter()
		within := s.dial(adminIP, nil)
		leave()
		end = s.floodOn(within)
		s.expectSent("a socket inside", 20, 0, 0)
		end()
		within.Close()
		cgroup.Remove()
		testnet.Until(t, "it is waited for again", waiting)
	}
}

func TestAPathThatIsNoCgroupIsRefused(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	h := newHost(t, func(c *config.Host) { c.System = &config.System{Cgroups: []string{directory}} })
	_, err := Start(h.settings, "test", nil, quiet)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("system.cgroups[0]: %q", directory)) ||
		!strings.Contains(err.Error(), "version 2") {
		t.Fatalf("%v, want a refusal with a remedy", err)
	}
	h.expectNothingLeft()
}

func TestTheHostsAddressesAreFollowed(t *testing.T) {
	later := netip.MustParseAddr("10.0.0.11")
	s := newOwnHost(t, func(c *config.Host) { c.System = &config.System{Sources: []string{later.String() + "/32"}} })
	s.run()
	if s.hasEndpoint(config.SystemInterface) || len(s.status().Waiting) != 1 {
		t.Fatalf("%+v: want the address to be waited for", s.status().Waiting)
	}
	s.addAddress(later)
	testnet.Until(t, "it is an endpoint", func() bool { return s.hasEndpoint(config.SystemInterface) })
	s.limit(config.SystemInterface, 20_000_000)
	s.floodFrom(later, nil)
	s.expectSent("limited", 20, 0, 0)
	parsed, err := netlink.ParseAddr(later.String() + "/24")
	if err == nil {
		err = netlink.AddrDel(testnet.Link(t, "br0"), parsed)
	}
	if err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "it is none any more", func() bool { return !s.hasEndpoint(config.SystemInterface) })
}

func TestMarksOfTheHostsOwnTrafficAreReported(t *testing.T) {
	t.Parallel()
	s := newOwnHost(t, ofStorage)
	s.run()
	s.dial(storageIP, nil).Write(make([]byte, 77))
	frame := s.capture.Next(eventually, func(frame []byte) bool { return udp(frame) && len(frame) == 77+testnet.EthernetBytes+28 })
	if ecn := testnet.ECNOf(frame); ecn != testnet.ECT0 {
		t.Errorf("ECN %d, want ECT(0)", ecn)
	}
	var sender *testnet.Sender
	s.far.Do(func() error {
		far, err := netlink.LinkByName("far")
		if err == nil {
			sender = testnet.NewSender(t, far)
		}
		return err
	})
	mac := [6]byte(testnet.Link(t, "br0").Attrs().HardwareAddr)
	for _, ecn := range []uint8{testnet.ECT0, testnet.CE} {
		sender.Send(datagram(peerIP, storageIP, ecn, append(mac[:], 2, 0, 0, 0, 0, 5)))
	}
	decoder := wire.NewDecoder(testProtocol, &wire.Keyring{}, true)
	testnet.Until(t, "both are reported back", func() bool {
		message, err := decoder.DecodeFrame(0, s.capture.Next(eventually, testnet.IPProtocol(testProtocol)))
		if err != nil {
			t.Fatal(err)
		}
		f := message.Feedback
		return f.Pair == model.Pair{Source: peerIP, Destination: storageIP} && f.Packets >= 2 && f.CEPackets == 1 // and ICMP's
	})
}
