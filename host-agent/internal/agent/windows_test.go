// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/status"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// windows reads from the engine what the shim has.
func (h *host) windows() [model.MaxGroups + 1]htb.Window {
	h.t.Helper()
	windows, err := engine.Call(h.agent.inbox, func() ([model.MaxGroups + 1]htb.Window, error) {
		return h.agent.loop.endpoints.All()[0].Windows(), nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return windows
}

func TestOnlyLimitedClassesClampWindows(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	none := htb.Window{}
	h.share(10_000_000, 4, peerIP)
	testnet.Until(t, "the port's class clamps, the other does not", func() bool {
		w := h.windows()
		return w[0] == none && w[1].BytesPerSecond > 900_000 && w[1].BytesPerSecond < 1_300_000 &&
			w[1].SegmentBytes == 1460
	})
	if _, err := h.agent.Handle(status.Request{
		Command: status.CommandLimit, Interface: "vm0", RateBitsPerSecond: 20_000_000,
	}); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "a ceiling clamps as well", func() bool { return h.windows()[0].BytesPerSecond == 2_500_000 })
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{Port: testPort, Expired: true}})
	testnet.Until(t, "the port's class does not any more", func() bool { return h.windows()[1] == none })
}

// site is a host whose VM and whose far side are network stacks of their own.
type site struct {
	*host
	vm, far *testnet.Namespace
	farIP   netip.Addr
}

// superPacketBytes bounds what the VM sends at once: it decides how long the leaf is.
const superPacketBytes = 6000

func newSite(t *testing.T) *site { return newSiteWith(t, nil) }

func newSiteWith(t *testing.T, change func(*config.Host)) *site {
	h := newHost(t, change)
	s := &site{h, testnet.NewNamespace(t), testnet.NewNamespace(t), peerIP}
	if err := netlink.LinkSetGSOMaxSize(h.host().vm, superPacketBytes); err != nil {
		t.Fatal(err)
	}
	s.vm.Take(h.vm, net.HardwareAddr{2, 0, 0, 0, 0, 1}, ownIP.String()+"/24")
	s.far.Take(h.far, net.HardwareAddr{2, 0, 0, 0, 0, 5}, peerIP.String()+"/24")
	return s
}

// host is the host itself: its fields are hidden by the site's.
func (h *host) host() *host { return h }

// connect opens a cubic connection from the VM to the far side, which takes whatever comes.
func (s *site) connect() *net.TCPConn {
	s.t.Helper()
	var listener net.Listener
	s.far.Do(func() (err error) {
		listener, err = net.Listen("tcp4", net.JoinHostPort(s.farIP.String(), "0"))
		return err
	})
	go func() {
		defer listener.Close()
		accepted, err := listener.Accept()
		if err != nil {
			return
		}
		defer accepted.Close()
		_, _ = io.Copy(io.Discard, accepted)
	}()
	var connection net.Conn
	s.vm.Do(func() (err error) {
		dialer := net.Dialer{Timeout: eventually, Control: func(_, _ string, raw syscall.RawConn) error {
			var failed error
			err := raw.Control(func(fd uintptr) {
				failed = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, "cubic")
			})
			return errors.Join(err, failed)
		}}
		connection, err = dialer.Dial("tcp4", listener.Addr().String())
		return err
	})
	s.t.Cleanup(func() { connection.Close() })
	return connection.(*net.TCPConn)
}

// transfer is how a connection fared.
type transfer struct {
	megabitsPerSecond float64
	retransmitted     uint32
	roundTrip         time.Duration // the median
}

// push sends as much as the connection takes.
func (s *site) push(connection *net.TCPConn, length time.Duration) transfer {
	s.t.Helper()
	info := func() *unix.TCPInfo {
		raw, err := connection.SyscallConn()
		if err != nil {
			s.t.Fatal(err)
		}
		var info *unix.TCPInfo
		var failed error
		if err := raw.Control(func(fd uintptr) {
			info, failed = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		}); err != nil || failed != nil {
			s.t.Fatal(err, failed)
		}
		return info
	}
	began, first := time.Now(), info()
	data := make([]byte, 16<<10)
	var roundTrips []time.Duration
	for time.Since(began) < length {
		if _, err := connection.Write(data); err != nil {
			s.t.Fatal(err)
		}
		roundTrips = append(roundTrips, time.Duration(info().Rtt)*time.Microsecond)
	}
	last := info()
	slices.Sort(roundTrips)
	return transfer{
		megabitsPerSecond: float64(last.Bytes_acked-first.Bytes_acked) * 8e-6 / time.Since(began).Seconds(),
		retransmitted:     last.Total_retrans - first.Total_retrans,
		roundTrip:         roundTrips[len(roundTrips)/2],
	}
}

// pushAgain sends for some round trips at a time until that is enough, for a few seconds: a busy machine sends too
// little now and then.
func (s *site) pushAgain(connection *net.TCPConn, enough func(transfer) bool) bool {
	s.t.Helper()
	const piece = 300 * time.Millisecond
	for range rateAttempts * time.Second / piece {
		if enough(s.push(connection, piece)) {
			return true
		}
	}
	return false
}

// abort ends a connection so that nothing of it is left to be sent.
func (s *site) abort(connection *net.TCPConn) {
	s.t.Helper()
	if err := errors.Join(connection.SetLinger(0), connection.Close()); err != nil {
		s.t.Fatal(err)
	}
}

// A connection that was there before the agent has an unknown scale, so its window is left alone: it
// shows what TCP does to its own class otherwise.
func TestTCPStaysWithinItsClass(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	old := s.connect()
	s.run()
	if _, err := s.agent.Handle(status.Request{
		Command: status.CommandLimit, Interface: "vm0", RateBitsPerSecond: 20_000_000,
	}); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "the ceiling clamps", func() bool { return s.windows()[0].BytesPerSecond == 2_500_000 })
	const length = 3 * time.Second
	alone := s.push(old, length)
	left := s.status().Endpoints[0]
	s.abort(old)
	// On a busy machine a handshake can take as long as on a long way, so there are several attempts.
	var clamped transfer
	for range rateAttempts {
		fresh := s.connect()
		clamped = s.push(fresh, length)
		s.abort(fresh)
		if clamped.roundTrip < 8*time.Millisecond && clamped.retransmitted*4 <= alone.retransmitted &&
			clamped.megabitsPerSecond >= 16 {
			break
		}
	}
	now := s.status().Endpoints[0]
	t.Logf("left alone %+v, clamped %+v", alone, clamped)
	if left.RxUnclampedPackets == 0 || left.RxClampedPackets != 0 || now.RxClampedPackets == 0 {
		t.Errorf("left alone: %d clamped and %d not; then %d clamped", left.RxClampedPackets,
			left.RxUnclampedPackets, now.RxClampedPackets)
	}
	if alone.retransmitted < 20 || clamped.retransmitted*4 > alone.retransmitted {
		t.Errorf("%d segments sent again, and %d without the clamp", clamped.retransmitted, alone.retransmitted)
	}
	if clamped.roundTrip >= 8*time.Millisecond {
		t.Errorf("round trip %v, and %v without the clamp; want about 5 ms", clamped.roundTrip, alone.roundTrip)
	}
	if clamped.megabitsPerSecond < 16 {
		t.Errorf("%.1f Mbit/s of 20", clamped.megabitsPerSecond)
	}
}
