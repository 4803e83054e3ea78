// SPDX-License-Identifier: Apache-2.0

package cgroups

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/bpffs"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/hintset"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const tick = 4 * time.Millisecond

const (
	optionECN    = 8  // TCPI_OPT_ECN
	optionRtoMin = 45 // TCP_RTO_MIN_US
)

// unpaced is what the kernel shows of a connection without a rate.
const unpaced = 1<<64 - 1

// bench is a network namespace, and a cgroup that the test's own process is in.
type bench struct {
	t         testing.TB
	cgroup    *testnet.Cgroup
	leave     func()
	directory string
	cgroups   *Cgroups
}

func newBench(t testing.TB) *bench {
	t.Helper()
	testnet.Enter(t)
	b := &bench{t: t, cgroup: testnet.NewCgroup(t), directory: filepath.Join(t.TempDir(), "bpf")}
	if err := bpffs.Prepare(b.directory); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bpffs.Remove(b.directory) })
	b.leave = b.cgroup.Enter()
	b.cgroups = New("hints", []string{b.cgroup.Name}, b.directory, tick)
	t.Cleanup(func() { _ = b.cgroups.Close() })
	return b
}

func (b *bench) sync(hints ...model.TCPHint) Result {
	b.t.Helper()
	result := b.cgroups.Sync(hintset.New(hints))
	for _, failure := range result.Failures {
		b.t.Error(failure)
	}
	return result
}

// connection has both ends in this process.
type connection struct {
	t              *testing.T
	client, server *net.TCPConn
}

// connect makes one to an address of the loopback.
func connect(t *testing.T, address string) *connection {
	t.Helper()
	listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 0)))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.DialTCP("tcp", nil, listener.Addr().(*net.TCPAddr))
	if err != nil {
		t.Fatal(err)
	}
	server, err := listener.AcceptTCP()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return &connection{t, client, server}
}

// exchange is a round trip in either direction.
func (c *connection) exchange() {
	c.t.Helper()
	for _, way := range [][2]*net.TCPConn{{c.client, c.server}, {c.server, c.client}} {
		if _, err := way[0].Write([]byte{1}); err != nil {
			c.t.Fatal(err)
		}
		if _, err := io.ReadFull(way[1], make([]byte, 1)); err != nil {
			c.t.Fatal(err)
		}
	}
}

// state is what the kernel says of an end.
type state struct {
	window, rtoMicros uint32
	control           string
	pacing            uint64 // bytes a second
	hasECN            bool
	// rtoMinMicros is what was set on the socket; its timeout itself does not rise again (tcp_rtt_estimator).
	rtoMinMicros int
}

func stateOf(t *testing.T, end *net.TCPConn) (s state) {
	t.Helper()
	raw, err := end.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failure error
	_ = raw.Control(func(fd uintptr) {
		var info *unix.TCPInfo
		if info, failure = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); failure != nil {
			return
		}
		s.window, s.rtoMicros, s.hasECN = info.Snd_cwnd, info.Rto, info.Options&optionECN != 0
		if s.control, failure = unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION); failure != nil {
			return
		}
		if s.rtoMinMicros, failure = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, optionRtoMin); failure != nil {
			failure = fmt.Errorf("TCP_RTO_MIN_US, which needs Linux 6.17: %w", failure)
			return
		}
		s.pacing, failure = unix.GetsockoptUint64(int(fd), unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE)
	})
	if failure != nil {
		t.Fatal(failure)
	}
	return s
}

func everything() model.TCPHint {
	return model.TCPHint{
		InitialWindowSegments: 20, RtoMinNanos: 2_000_000, CongestionControl: "reno", PacingBitsPerSecond: 80_000_000,
	}
}

func to(prefix string, hint model.TCPHint) model.TCPHint {
	hint.Destinations = []netip.Prefix{netip.MustParsePrefix(prefix)}
	return hint
}

func (s state) isHinted() bool {
	return s.window == 20 && s.control == "reno" && s.pacing == 10_000_000
}

func TestNewConnectionsUseTheHintsOfTheirDestination(t *testing.T) {
	b := newBench(t)
	own := stateOf(t, connect(t, "127.0.0.1").client)
	if own.window != 10 || own.pacing != unpaced || own.rtoMicros < 200_000 {
		t.Fatalf("without hints a connection has %+v", own)
	}
	result := b.sync(
		to("127.0.1.0/24", everything()), to("127.0.1.9/32", model.TCPHint{InitialWindowSegments: 30}),
		to("::1/128", everything()), to("127.0.1.9/32", model.TCPHint{InitialWindowSegments: 40}),
	)
	if result.Cgroups != 1 || !result.Hinted[0] || !result.Hinted[1] || !result.Hinted[2] || result.Hinted[3] {
		t.Errorf("%+v", result)
	}
	for address, window := range map[string]uint32{"127.0.1.1": 20, "127.0.1.9": 30, "::1": 20} {
		c := connect(t, address)
		s := stateOf(t, c.client)
		if s.window != window || s.control != "reno" || s.pacing != 10_000_000 || s.rtoMicros >= 200_000 {
			t.Errorf("%s: %+v", address, s)
		}
		if accepted := stateOf(t, c.server); address == "::1" && !accepted.isHinted() {
			t.Errorf("who accepts has %+v", accepted)
		}
	}
	if s := stateOf(t, connect(t, "127.0.2.1").client); s.window != own.window || s.pacing != unpaced || s.control != own.control {
		t.Errorf("another destination's connection has %+v", s)
	}
	b.leave()
	if s := stateOf(t, connect(t, "127.0.1.1").client); s.window != own.window {
		t.Errorf("another cgroup's connection has %+v", s)
	}
}

func TestHintsForAllAreForBothFamilies(t *testing.T) {
	b := newBench(t)
	b.sync(everything())
	for _, address := range []string{"127.0.0.1", "::1"} {
		c := connect(t, address)
		if client, server := stateOf(t, c.client), stateOf(t, c.server); !client.isHinted() || !server.isHinted() {
			t.Errorf("%s: %+v, %+v", address, client, server)
		}
	}
}

// TestHintsApplyToOpenConnections: RTO_min and the rate, with their next round trip, as far as they began in the cgroup
// while the agent had hints for some.
func TestHintsApplyToOpenConnections(t *testing.T) {
	for name, end := range map[string]func(b *bench){
		"hints end":      func(b *bench) { b.sync() },
		"the lease ends": func(b *bench) { b.cgroups.programs.lease.At(0).EndsNanos = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.sync(to("127.0.9.9/32", everything()))
			c := connect(t, "127.0.0.1")
			b.sync(everything())
			c.exchange()
			testnet.Until(t, "it has what is hinted", func() bool {
				c.exchange()
				s := stateOf(t, c.client)
				return s.pacing == 10_000_000 && s.rtoMinMicros == 8_000 && s.rtoMicros < 200_000
			})
			end(b)
			testnet.Until(t, "it has its own", func() bool {
				c.exchange()
				s := stateOf(t, c.client)
				return s.pacing == unpaced && s.rtoMinMicros == 200_000
			})
			if s := stateOf(t, connect(t, "127.0.0.1").client); s.window != 10 || s.pacing != unpaced {
				t.Errorf("a new connection has %+v", s)
			}
		})
	}
}

func TestCongestionControlsThatNeedECNNegotiateIt(t *testing.T) {
	b := newBench(t)
	if stateOf(t, connect(t, "127.0.0.1").client).hasECN {
		t.Fatal("connections here have ECN anyway")
	}
	b.sync(model.TCPHint{CongestionControl: "sluice_dctcp"}) // is not loaded: the connection keeps its own
	if c := connect(t, "127.0.0.1"); !stateOf(t, c.client).hasECN || !stateOf(t, c.server).hasECN {
		t.Error("a connection has not agreed on ECN")
	}
}

func TestProgramsOfAKilledAgentEndWithTheirPins(t *testing.T) {
	b := newBench(t)
	b.sync(everything())
	killed := b.cgroups.members[0].link
	b.cgroups.members[0].link = nil // a kill closes its descriptors alone
	if err := killed.Close(); err != nil {
		t.Fatal(err)
	}
	if s := stateOf(t, connect(t, "127.0.0.1").client); !s.isHinted() {
		t.Fatalf("while the lease lasts a connection has %+v", s)
	}
	if err := RemovePins(b.directory); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "the program goes", func() bool { return stateOf(t, connect(t, "127.0.0.1").client).window == 10 })
}

func TestARecreatedCgroupGetsHints(t *testing.T) {
	b := newBench(t)
	other := testnet.NewCgroup(t)
	b.cgroups = New("hints", []string{b.cgroup.Path, other.Name}, b.directory, tick)
	for range 2 {
		if result := b.sync(everything()); result.Cgroups != 2 {
			t.Errorf("%+v", result)
		}
		leave := other.Enter()
		if s := stateOf(t, connect(t, "127.0.0.1").client); !s.isHinted() {
			t.Errorf("%+v", s)
		}
		leave()
		other.Remove()
		result := b.cgroups.Sync(hintset.New([]model.TCPHint{everything()}))
		if result.Cgroups != 1 || len(result.Failures) != 1 || !strings.Contains(result.Failures[0].Error(), other.Name) {
			t.Fatalf("%+v", result)
		}
		other.Make()
	}
	if err := b.cgroups.Close(); err != nil {
		t.Fatal(err)
	}
	if pins, err := filepath.Glob(filepath.Join(b.directory, "hints"+pinInfix+"*")); err != nil || len(pins) > 0 {
		t.Errorf("pins stay: %v, %v", pins, err)
	}
}

func TestHintedTimeoutsAreConvertedToTicks(t *testing.T) {
	for hinted, want := range map[uint64]uint64{0: 0, 1: 8_000_000, 2_000_000: 8_000_000, 9_000_000: 12_000_000, 1e9: 200_000_000} {
		if got := RtoMinNanos(hinted, tick); got != want {
			t.Errorf("%d: %d, want %d", hinted, got, want)
		}
	}
}
