// SPDX-License-Identifier: Apache-2.0

package congestion

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/bpffs"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
	"github.com/sluice-sdn/sluice/host-agent/internal/port"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	serverIP   = "10.0.1.2"
	clientIP   = "10.0.1.1"
	queueBound = 500 * time.Microsecond
)

// pins is a BPF directory that goes with the test, in which nobody else's test has the controls' names.
func pins(t *testing.T) string {
	t.Helper()
	testnet.Exclusive(t, "congestion")
	directory := filepath.Join(t.TempDir(), "bpf")
	if err := bpffs.Prepare(directory); err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	t.Cleanup(func() {
		if err := bpffs.Remove(directory); err != nil {
			t.Error(err)
		}
		testnet.Until(t, "the kernel has forgotten the controls", func() bool { return len(registered(t)) == 0 })
	})
	return directory
}

// registered are those of our controls that TCP has.
func registered(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("/proc/sys/net/ipv4/tcp_available_congestion_control")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Fields(string(text)), func(name string) bool { return !slices.Contains(choice.Names, name) })
}

func load(t *testing.T, names []string, directory string) *Controls {
	t.Helper()
	c, err := Load(Settings{Controls: names, QueueBound: queueBound, BPFDirectory: directory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// chance loads the controls such that what their programs return is what the stack of a kernel holds that left them out.
func chance(t *testing.T, directory string) *Controls {
	t.Helper()
	spec, err := loadBpf()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{bpfProgThreshold, bpfProgUndoWindow} {
		program := spec.Programs[name]
		first := asm.LoadImm(asm.R0, 0x81104110, asm.DWord).WithSymbol(name)
		function := btf.FuncMetadata(&program.Instructions[0])
		program.Instructions = asm.Instructions{btf.WithFuncMetadata(first, function), asm.Return()}
	}
	c, err := loadFrom(spec, Settings{Controls: choice.Names, QueueBound: queueBound, BPFDirectory: directory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// wire is two namespaces with a port agent's queue between them, which marks.
type wire struct {
	t           *testing.T
	left, right *testnet.Namespace
}

func newWire(t *testing.T) *wire {
	t.Helper()
	return newWireOf(t, 200, 5)
}

func newWireOf(t *testing.T, bufferPackets, markThresholdPackets int) *wire {
	t.Helper()
	testnet.Enter(t)
	left, wireLeft := testnet.Veth(t, "left", "wl")
	if err := netlink.LinkSetGSOMaxSegs(left, 1); err != nil { // the queue counts packets
		t.Fatal(err)
	}
	right, wireRight := testnet.Veth(t, "right", "wr")
	w := &wire{t, testnet.NewNamespace(t), testnet.NewNamespace(t)}
	w.left.Take(left, net.HardwareAddr{2, 0, 0, 0, 0, 1}, clientIP+"/24")
	w.right.Take(right, net.HardwareAddr{2, 0, 0, 0, 0, 2}, serverIP+"/24")
	base := t.TempDir()
	p, err := port.Start(config.Port{
		Port: "of:0000000000000001/1", Ingress: wireLeft.Attrs().Name, Egress: wireRight.Attrs().Name,
		CapacityMbps: 50, BufferPackets: bufferPackets, MarkThresholdPackets: markThresholdPackets, NonEct: config.NonEctPass, Reverse: true,
		RunDirectory: filepath.Join(base, "run"), BPFDirectory: filepath.Join(base, "port-bpf"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// using has a socket use a congestion control from its beginning; the empty one leaves it alone.
func using(control string) func(string, string, syscall.RawConn) error {
	return func(_, _ string, raw syscall.RawConn) (err error) {
		if control == "" {
			return nil
		}
		failed := raw.Control(func(fd uintptr) {
			err = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, control)
		})
		if failed != nil {
			return failed
		}
		return err
	}
}

// connect makes a connection whose server reads all; each end uses its control.
func (w *wire) connect(client, server string) (from net.Conn) {
	w.t.Helper()
	var listener net.Listener
	w.right.Do(func() (err error) {
		config := net.ListenConfig{Control: using(server)}
		config.SetMultipathTCP(false)
		listener, err = config.Listen(context.Background(), "tcp4", serverIP+":5001")
		return err
	})
	defer listener.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		connection, err := listener.Accept()
		if err == nil {
			accepted <- connection
			_, _ = io.Copy(io.Discard, connection)
		}
	}()
	w.left.Do(func() (err error) {
		dialer := net.Dialer{Control: using(client), Timeout: 5 * time.Second}
		dialer.SetMultipathTCP(false)
		from, err = dialer.Dial("tcp4", serverIP+":5001")
		return err
	})
	to := <-accepted
	w.t.Cleanup(func() {
		_ = from.Close()
		_ = to.Close()
	})
	return from
}

// controlOf is what a connection uses.
func controlOf(t *testing.T, connection net.Conn) (name string) {
	t.Helper()
	raw, err := connection.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if failed := raw.Control(func(fd uintptr) {
		name, err = unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	}); failed != nil || err != nil {
		t.Fatal(failed, err)
	}
	return name
}

func send(t *testing.T, connection net.Conn, bytes int) {
	t.Helper()
	if _, err := connection.Write(make([]byte, bytes)); err != nil {
		t.Fatal(err)
	}
}

func TestMarksReduceWindows(t *testing.T) {
	directory := pins(t)
	controls := load(t, choice.Names, directory)
	w := newWire(t)
	for number, name := range choice.Names {
		connection := w.connect(name, name)
		if got := controlOf(t, connection); got != name {
			t.Fatalf("a connection uses %q, want %q", got, name)
		}
		send(t, connection, 3_000_000)
		testnet.Until(t, "marks come back", func() bool { return controls.Status()[number].AcknowledgedMarks > 0 })
		s := controls.Status()[number]
		if s.Connections != 2 || s.ConnectionsWithoutECN != 0 || s.ReceivedMarks == 0 || s.Reductions == 0 {
			t.Errorf("%+v, want both ends, marks received, and reductions", s)
		}
		if s.Reductions > s.AcknowledgedMarks {
			t.Errorf("%+v: more reductions than marks", s)
		}
	}
}

// sendWatched sends, and finds the largest window meanwhile.
func sendWatched(t *testing.T, connection net.Conn, bytes int) (largest uint32) {
	t.Helper()
	sent := make(chan error, 1)
	go func() {
		_, err := connection.Write(make([]byte, bytes))
		sent <- err
	}()
	raw := rawOf(t, connection)
	for {
		failed := raw.Control(func(fd uintptr) {
			if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
				largest = max(largest, info.Snd_cwnd)
			}
		})
		if failed != nil {
			t.Fatal(failed)
		}
		select {
		case err := <-sent:
			if err != nil {
				t.Fatal(err)
			}
			return largest
		case <-time.After(time.Millisecond):
		}
	}
}

func TestNoWindowDependsOnWhatProgramsReturn(t *testing.T) {
	const reasonable = 1000 // segments; the queue and the path hold 205
	for _, kind := range []struct {
		name                 string
		bufferPackets, marks int
		reductions           uint64
	}{{"marks", 200, 5, 10}, {"losses", 20, 0, 1}} {
		t.Run(kind.name, func(t *testing.T) {
			directory := pins(t)
			controls := chance(t, directory)
			w := newWireOf(t, kind.bufferPackets, kind.marks)
			for number, name := range choice.Names {
				connection := w.connect(name, name)
				var largest uint32
				var s Status
				testnet.Until(t, "windows are reduced", func() bool {
					largest = max(largest, sendWatched(t, connection, 1_000_000))
					s = controls.Status()[number]
					return s.Reductions >= kind.reductions && (kind.marks > 0 || s.LossReductions > 0)
				})
				if largest > reasonable {
					t.Errorf("%s had a window of %d segments", name, largest)
				}
				if s.LeftOutCalls == 0 {
					t.Errorf("%+v, want that calls which never came are counted", s)
				}
			}
		})
	}
}

func TestAConnectionWithoutECNIsConventional(t *testing.T) {
	directory := pins(t)
	controls := load(t, choice.Names, directory)
	w := newWire(t)
	w.right.Do(func() error { return os.WriteFile("/proc/sys/net/ipv4/tcp_ecn", []byte("0"), 0) })
	connection := w.connect(choice.DCTCP, "cubic")
	if got := controlOf(t, connection); got != "cubic" {
		t.Errorf("it uses %q, want cubic", got)
	}
	send(t, connection, 300_000)
	s := controls.Status()[0]
	if s.ConnectionsWithoutECN != 1 || s.LastWithoutECN != serverIP+":5001" || s.Connections != 0 {
		t.Errorf("%+v, want one without ECN, and its peer", controls.Status())
	}
}

func TestConnectionsOutliveTheirControl(t *testing.T) {
	directory := pins(t)
	controls := load(t, []string{choice.DCTCP}, directory)
	w := newWire(t)
	connection := w.connect(choice.DCTCP, choice.DCTCP)
	if err := RemovePins(directory); err != nil {
		t.Fatal(err)
	}
	if err := controls.Close(); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "the kernel has forgotten the control", func() bool { return len(registered(t)) == 0 })
	send(t, connection, 1_000_000)
	if got := controlOf(t, connection); got != choice.DCTCP {
		t.Errorf("it uses %q now", got)
	}
	if err := using(choice.DCTCP)("", "", rawOf(t, connection)); err != unix.ENOENT {
		t.Errorf("%v, want that others cannot choose it any more", err)
	}
}

func rawOf(t *testing.T, connection net.Conn) syscall.RawConn {
	t.Helper()
	raw, err := connection.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestALaterAgentReplacesPinnedPrograms(t *testing.T) {
	directory := pins(t)
	first := load(t, choice.Names, directory)
	if err := first.Close(); err != nil { // as if it had been killed
		t.Fatal(err)
	}
	if got := registered(t); len(got) != len(choice.Names) {
		t.Fatalf("only %v are left of a killed agent's controls", got)
	}
	load(t, []string{choice.DADCTCP}, directory)
	if got := registered(t); len(got) != 1 || got[0] != choice.DADCTCP {
		t.Errorf("%v are registered, want what the successor loads", got)
	}
}

func TestProbeRegistersNothing(t *testing.T) {
	testnet.Exclusive(t, "congestion")
	if err := Probe(); err != nil {
		t.Fatalf("%v (this test needs root, and a kernel with struct_ops)", err)
	}
	if got := registered(t); len(got) > 0 {
		t.Errorf("%v are registered", got)
	}
}
