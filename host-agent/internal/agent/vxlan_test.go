// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/binary"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

const (
	vxlanPort    = 4789
	vxlanBytes   = 8
	testNetwork  = 7
	tunnelMTU    = 1450
	outerBytes   = testnet.EthernetBytes + 20 + 8 + vxlanBytes
	tunnelDevice = "vxlan0"
	inheritClass = 1 // what `tos inherit` means to the kernel
)

// tunnelled is a host whose bridge reaches the network through a VXLAN device, and whose uplink carries
// the tunnel:
//
//	vm -- vm0 [bridge] vxlan0 ~~ up0 -- far ~~ vxlan0
type tunnelled struct {
	*site
	capture *testnet.Capture // of the tunnel's packets, at its far end
	tunnel  *net.UDPConn     // which sends into it, marked on the way
}

func newTunnelled(t *testing.T) *tunnelled { return newTunnelledWith(t, 0) }

// newTunnelledWith has the host's tunnel set the outer header's traffic class; inheritClass: the inner one's.
func newTunnelledWith(t *testing.T, trafficClass int) *tunnelled {
	h := newHost(t, nil)
	h.settings.Uplink.Through = []string{tunnelDevice}
	s := &site{h, testnet.NewNamespace(t), testnet.NewNamespace(t), peerIP}
	up0 := testnet.Link(t, "up0")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(netlink.LinkSetNoMaster(up0))
	address, err := netlink.ParseAddr("192.0.2.1/24")
	must(err)
	must(netlink.AddrAdd(up0, address))
	must(addTunnel(up0, "192.0.2.1", "192.0.2.2", trafficClass))
	must(netlink.LinkSetMaster(testnet.Link(t, tunnelDevice), testnet.Link(t, "br0")))
	for _, name := range []string{"vm", "vm0", "br0"} {
		must(netlink.LinkSetMTU(testnet.Link(t, name), tunnelMTU))
	}
	s.vm.Take(h.vm, net.HardwareAddr{2, 0, 0, 0, 0, 1}, ownIP.String()+"/24")
	s.far.Take(h.far, net.HardwareAddr{2, 0, 0, 0, 0, 9}, "192.0.2.2/24")
	r := &tunnelled{site: s}
	s.far.Do(func() error {
		far, err := netlink.LinkByName("far")
		if err != nil {
			return err
		}
		r.capture = testnet.NewCapture(t, far)
		if err := addTunnel(far, "192.0.2.2", "192.0.2.1", 0); err != nil {
			return err
		}
		end, err := netlink.LinkByName(tunnelDevice)
		if err != nil {
			return err
		}
		if err := netlink.LinkSetHardwareAddr(end, net.HardwareAddr{2, 0, 0, 0, 0, 5}); err != nil {
			return err
		}
		inside, err := netlink.ParseAddr(peerIP.String() + "/24")
		if err != nil {
			return err
		}
		if err := netlink.AddrAdd(end, inside); err != nil {
			return err
		}
		if r.tunnel, err = net.DialUDP("udp4", nil, &net.UDPAddr{IP: net.IPv4(192, 0, 2, 1), Port: vxlanPort}); err != nil {
			return err
		}
		raw, err := r.tunnel.SyscallConn()
		if err != nil {
			return err
		}
		var failed error
		err = raw.Control(func(fd uintptr) {
			failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_TOS, int(testnet.CE))
		})
		return errors.Join(err, failed)
	})
	t.Cleanup(func() { r.tunnel.Close() })
	return r
}

func addTunnel(under netlink.Link, from, to string, trafficClass int) error {
	attributes := netlink.NewLinkAttrs()
	attributes.Name = tunnelDevice
	err := netlink.LinkAdd(&netlink.Vxlan{
		LinkAttrs: attributes, VxlanId: testNetwork, VtepDevIndex: under.Attrs().Index,
		SrcAddr: net.ParseIP(from), Group: net.ParseIP(to), Port: vxlanPort, Learning: true, TOS: trafficClass,
	})
	if err != nil {
		return err
	}
	device, err := netlink.LinkByName(tunnelDevice)
	if err != nil {
		return err
	}
	return netlink.LinkSetUp(device)
}

// send lets a frame come out of the tunnel, its outer header marked.
func (r *tunnelled) send(frame []byte) {
	r.t.Helper()
	packet := make([]byte, vxlanBytes, vxlanBytes+len(frame))
	packet[0] = 0x08
	binary.BigEndian.PutUint32(packet[4:], testNetwork<<8)
	if _, err := r.tunnel.Write(append(packet, frame...)); err != nil {
		r.t.Fatal(err)
	}
}

// inTunnel suits the tunnel's packets with an inner IP protocol.
func inTunnel(protocol uint8) func([]byte) bool {
	return func(frame []byte) bool {
		return udp(frame) && len(frame) > outerBytes &&
			binary.BigEndian.Uint16(frame[testnet.EthernetBytes+22:]) == vxlanPort &&
			testnet.IPProtocol(protocol)(frame[outerBytes:])
	}
}

// talk sends datagrams of the VM's own stack.
func (r *tunnelled) talk() net.Conn {
	r.t.Helper()
	var sink net.PacketConn
	r.far.Do(func() (err error) {
		sink, err = net.ListenPacket("udp4", net.JoinHostPort(peerIP.String(), "0"))
		return err
	})
	var connection net.Conn
	r.vm.Do(func() (err error) {
		connection, err = net.Dial("udp4", sink.LocalAddr().String())
		return err
	})
	r.t.Cleanup(func() { connection.Close(); sink.Close() })
	return connection
}

func TestClassesAndMarksCrossATunnel(t *testing.T) {
	t.Parallel()
	r := newTunnelled(t)
	r.run()
	r.share(1_000_000, 10, peerIP)
	testnet.Until(t, "the share is in force", func() bool { _, ok := r.group(testPort); return ok })
	if _, err := r.talk().Write(make([]byte, 900)); err != nil {
		t.Fatal(err)
	}
	frame := r.capture.Next(eventually, inTunnel(testnet.UDP))
	if outer, inner := testnet.ECNOf(frame), testnet.ECNOf(frame[outerBytes:]); outer != testnet.ECT0 || inner != testnet.ECT0 {
		t.Errorf("ECN %d outside, %d inside, want ECT(0) twice", outer, inner)
	}
	testnet.Until(t, "the uplink's class of the port has sent it", func() bool {
		g, _ := r.group(testPort)
		return g.SentPackets == 1 && g.SentBytes == uint64(outerBytes+testnet.EthernetBytes+20+8+900)
	})

	r.send(inward(peerIP, ownIP, testnet.ECT0))
	testnet.Until(t, "the mark on the outer header counts for the pair", func() bool {
		for _, pair := range r.status().Pairs {
			if pair.Source == peerIP && pair.CEPackets == 1 {
				return true
			}
		}
		return false
	})
	decoder := wire.NewDecoder(testProtocol, &wire.Keyring{}, true)
	testnet.Until(t, "the mark is reported inside the tunnel", func() bool {
		message, err := decoder.DecodeFrame(0, r.capture.Next(eventually, inTunnel(testProtocol))[outerBytes:])
		if err != nil {
			t.Fatal(err)
		}
		return message.Kind == wire.KindFeedback && message.Feedback.CEPackets == 1 && message.Feedback.Pair.Source == peerIP
	})
}

func TestMessagesAreDecapsulatedFromATunnel(t *testing.T) {
	t.Parallel()
	r := newTunnelled(t)
	slowLoop(&r.settings)
	r.run()
	r.share(10_000_000, 4, peerIP)
	testnet.Until(t, "the share is in force", func() bool { _, ok := r.group(testPort); return ok })
	connection := r.talk()
	encoder := wire.Encoder{Protocol: testProtocol, Keys: &wire.Keyring{}, AllowUnsigned: true}
	message := model.Feedback{Pair: model.Pair{Source: ownIP, Destination: peerIP}, Instance: 7,
		Sequence: wire.NextSequence(0, time.Now().UnixNano()), PeriodNanos: 2_500_000, Packets: 1, Bytes: 1000}
	buffer := make([]byte, wire.MaxFrameLength)
	sent := uint64(0)
	testnet.Until(t, "feedback lowers the limit", func() bool {
		for range 50 { // as use does
			if _, err := connection.Write(make([]byte, 900)); err != nil {
				t.Fatal(err)
			}
		}
		length, err := encoder.EncodeFeedback(buffer, &message, wire.MAC{2, 0, 0, 0, 0, 5}, wire.MAC{2, 0, 0, 0, 0, 1})
		if err != nil {
			t.Fatal(err)
		}
		r.send(buffer[:length])
		sent++
		message.Sequence, message.Packets, message.CEPackets = message.Sequence+1, message.Packets+4, message.CEPackets+4
		message.Bytes += 4000
		g, ok := r.group(testPort)
		return ok && g.CEShare == 1 && g.RateBitsPerSecond < 7_000_000
	})
	// What is addressed at the uplink itself, as controllers' notices are, is taken as well.
	testnet.Until(t, "the others have been taken", func() bool { return r.status().Feedback.Accepted == sent })
	r.far.Do(func() error {
		far, err := netlink.LinkByName("far")
		if err != nil {
			return err
		}
		length, err := encoder.EncodeFeedback(buffer, &message, wire.MAC{2, 0, 0, 0, 0, 5}, wire.MAC{2, 0, 0, 0, 0, 1})
		if err != nil {
			return err
		}
		testnet.NewSender(t, far).Send(buffer[:length])
		return nil
	})
	testnet.Until(t, "a message beside the tunnel is taken", func() bool { return r.status().Feedback.Accepted == sent+1 })
	if s := r.status(); s.Shim.ControlPackets == 0 || s.Feedback.Refused != 0 {
		t.Errorf("%d taken off the tunnel, %d refused", s.Shim.ControlPackets, s.Feedback.Refused)
	}
}

func TestTCPStaysWithinItsClassInATunnel(t *testing.T) {
	t.Parallel()
	r := newTunnelled(t)
	r.run()
	r.limit("vm0", 20_000_000)
	testnet.Until(t, "the ceiling clamps", func() bool { return r.windows()[0].BytesPerSecond == 2_500_000 })
	before, began := r.status().Endpoints[0].Groups[0].SentBytes, time.Now()
	got := r.push(r.connect(), 3*time.Second)
	e := r.status().Endpoints[0]
	sent := float64(e.Groups[0].SentBytes-before) * 8e-6 / time.Since(began).Seconds()
	t.Logf("%+v; the class sent %.2f Mbit/s, %d windows lowered", got, sent, e.RxClampedPackets)
	if got.megabitsPerSecond < 15 || sent > 20.2 {
		t.Errorf("%.1f Mbit/s got through, the class sent %.2f; want nearly 20, and no more", got.megabitsPerSecond, sent)
	}
	if e.RxClampedPackets == 0 {
		t.Error("no window was lowered")
	}
}

func TestTheAgentNeedsTheTunnelDevice(t *testing.T) {
	t.Parallel()
	r := newTunnelled(t)
	r.settings.Uplink.Through = []string{"vxlan9"}
	if _, err := Start(r.settings, "test", nil, quiet); err == nil {
		t.Fatal("started without the device")
	}
	r.settings.Uplink.Through = []string{tunnelDevice}
	a, err := Start(r.settings, "test", nil, quiet)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- a.Run(t.Context()) }()
	testnet.Delete(t, tunnelDevice)
	select {
	case err := <-done:
		if err == nil {
			t.Error("the agent ended without a reason")
		}
	case <-time.After(eventually):
		t.Error("the agent goes on although its device has gone")
	}
	if err := a.Stop(); err != nil {
		t.Error(err)
	}
}
