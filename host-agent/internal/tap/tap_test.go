// SPDX-License-Identifier: Apache-2.0

package tap_test

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/tap"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func frame(protocol uint8, source, destination string) []byte {
	return testnet.Frame{
		Source: netip.MustParseAddr(source), Destination: netip.MustParseAddr(destination), Protocol: protocol,
		SourcePort: 1000, Port: 2000, TCPFlags: testnet.ACK, PayloadBytes: 1000,
	}.Build()
}

func TestSuperPacketsCrossWholeBothWays(t *testing.T) {
	testnet.Enter(t)
	guest, port := testnet.Taps(t, "eth0", "vm0")
	for name, c := range map[string]struct {
		from, to netlink.Link
		frame    []byte
	}{
		"TCP":           {guest, port, frame(testnet.TCP, "10.0.0.1", "10.0.0.2")},
		"UDP":           {guest, port, frame(testnet.UDP, "10.0.0.1", "10.0.0.2")},
		"TCP over IPv6": {guest, port, frame(testnet.TCP, "fd00::1", "fd00::2")},
		"UDP over IPv6": {guest, port, frame(testnet.UDP, "fd00::1", "fd00::2")},
		"to the guest":  {port, guest, frame(testnet.TCP, "10.0.0.2", "10.0.0.1")},
	} {
		capture, sender := testnet.NewCapture(t, c.to), testnet.NewSender(t, c.from)
		super, _ := testnet.Super(c.frame, 60)
		sender.Burst(c.frame, 60)
		sender.Send(c.frame)
		for i, want := range [][]byte{super, c.frame} {
			if got := capture.Next(10*time.Second, func([]byte) bool { return true }); !bytes.Equal(got, want) {
				t.Errorf("%s: frame %d has %d bytes, want %d", name, i, len(got), len(want))
			}
		}
	}
}

func TestItEndsWithEitherTap(t *testing.T) {
	for _, name := range []string{"eth0", "vm0"} {
		t.Run(name, func(t *testing.T) {
			testnet.Enter(t)
			testnet.Taps(t, "eth0", "vm0")
			testnet.Delete(t, name)
			testnet.Until(t, "the other is gone, too", func() bool {
				links, err := netlink.LinkList()
				return err == nil && len(links) == 1 // lo
			})
		})
	}
}

func TestANameThatIsTakenIsRefused(t *testing.T) {
	testnet.Enter(t)
	testnet.Veth(t, "vm0", "other")
	if _, err := tap.Open("vm0"); !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.EINVAL) {
		t.Errorf("%v, want a refusal", err)
	}
}

func TestFramesCostNoAllocation(t *testing.T) {
	testnet.Enter(t)
	var ends [2]int
	for i, name := range []string{"eth0", "vm0"} {
		end, err := tap.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(end)
		if err := netlink.LinkSetUp(testnet.Link(t, name)); err != nil {
			t.Fatal(err)
		}
		ends[i] = end
	}
	sender, sent := testnet.NewSender(t, testnet.Link(t, "eth0")), frame(testnet.UDP, "10.0.0.1", "10.0.0.2")
	received := func() uint64 { return testnet.Link(t, "vm0").Attrs().Statistics.RxPackets }
	before := received()
	const runs = 1000
	if perFrame := testing.AllocsPerRun(runs, func() {
		sender.Send(sent)
		if err := tap.PassWaiting(ends[0], ends[1]); err != nil {
			t.Fatal(err)
		}
	}); perFrame != 0 {
		t.Errorf("%v allocations for each frame", perFrame)
	}
	if passed := received() - before; passed < runs {
		t.Errorf("%d of %d frames passed", passed, runs)
	}
}
