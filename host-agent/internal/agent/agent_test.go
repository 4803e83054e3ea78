// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/status"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

const eventually = 10 * time.Second

var udp = testnet.IPProtocol(testnet.UDP)

func TestDataIsShapedAndMarkedECT(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	capture := testnet.NewCapture(t, h.far)
	testnet.NewSender(t, h.vm).Send(outward(ownIP, peerIP, testnet.NotECT))
	if ecn := testnet.ECNOf(capture.Next(eventually, udp)); ecn != testnet.ECT0 {
		t.Errorf("ECN %d on the wire, want ECT(0)", ecn)
	}
	s := h.status()
	if sent := s.Endpoints[0].Groups[0].SentPackets; sent != 1 {
		t.Errorf("%d packets in the endpoint's class, want 1", sent)
	}
	if len(s.Pairs) != 1 || s.Pairs[0].Source != ownIP || s.Pairs[0].SentPackets != 1 || s.Pairs[0].SentBytes != 1000 {
		t.Errorf("pairs %+v, want one packet of 1000 bytes", s.Pairs)
	}
}

func TestPacketsAreUnchangedWhileEnforcementIsOff(t *testing.T) {
	t.Parallel()
	h := newHost(t, func(c *config.Host) { c.Enforcement = false }).run()
	capture := testnet.NewCapture(t, h.far)
	sender := testnet.NewSender(t, h.vm)
	sent := outward(ownIP, peerIP, testnet.NotECT)
	sender.Send(sent)
	if !bytes.Equal(capture.Next(eventually, udp), sent) {
		t.Error("the packet was changed")
	}
	s := h.status()
	if s.Endpoints[0].RateBitsPerSecond != 0 || s.Uplink.OpenPackets == 0 || s.Pairs[0].SentPackets != 1 {
		t.Errorf("%+v: want no limit, the open class, and counting", s)
	}
	if size := testnet.Link(t, "vm0").Attrs().GSOMaxSize; size != 65536 {
		t.Errorf("gso_max_size %d without enforcement", size)
	}

	h.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true})
	testnet.Until(t, "enforcement is on", func() bool { return h.status().Endpoints[0].RateBitsPerSecond > 0 })
	sender.Send(sent)
	if ecn := testnet.ECNOf(capture.Next(eventually, udp)); ecn != testnet.ECT0 {
		t.Errorf("ECN %d after switching on, want ECT(0)", ecn)
	}
}

func TestStopRemovesAllState(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	h.share(10_000_000, 4, peerIP)
	testnet.Until(t, "the share is in force", func() bool { _, ok := h.group(testPort); return ok })
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	h.expectNothingLeft()
}

func TestForeignRootQdiscIsKeptOrRestored(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	up0 := testnet.Link(t, "up0")
	attributes := netlink.QdiscAttrs{LinkIndex: up0.Attrs().Index, Handle: 0x10000, Parent: netlink.HANDLE_ROOT}
	if err := netlink.QdiscAdd(&netlink.GenericQdisc{QdiscAttrs: attributes, QdiscType: "pfifo"}); err != nil {
		t.Fatal(err)
	}
	root := func() string {
		qdiscs, err := netlink.QdiscList(up0)
		if err != nil {
			t.Fatal(err)
		}
		return qdiscs[0].Type()
	}
	var foreign *htb.ForeignRootError
	if _, err := Start(h.settings, "test", nil, nil); !errors.As(err, &foreign) {
		t.Fatalf("%v, want a refusal", err)
	}
	if root() != "pfifo" {
		t.Errorf("the root is %s after the refusal", root())
	}
	h.settings.ReplaceRootQdisc = true
	h.run()
	if root() != "htb" {
		t.Errorf("the root is %s, want ours", root())
	}
	if err := h.stop(); err != nil {
		t.Fatal(err)
	}
	if root() != "pfifo" {
		t.Errorf("the root is %s afterwards, want what was there", root())
	}
}

func TestAnOperatorsLimitOverridesAHigherShare(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	limit := func(name string, bitsPerSecond uint64) error {
		_, err := h.agent.Handle(status.Request{
			Command: status.CommandLimit, Interface: name, RateBitsPerSecond: bitsPerSecond,
		})
		return err
	}
	if err := limit("vm0", 7_000_000); err != nil {
		t.Fatal(err)
	}
	if rate := h.status().Endpoints[0].RateBitsPerSecond; rate != 7_000_000 {
		t.Errorf("limit %d in force, want 7 Mbit/s", rate)
	}
	h.share(10_000_000, 4, peerIP)
	testnet.Until(t, "the lower of share and override holds", func() bool {
		g, ok := h.group(testPort)
		return ok && g.RateBitsPerSecond == 7_000_000
	})
	if err := limit("vm0", 0); err != nil {
		t.Fatal(err)
	}
	if rate := h.status().Endpoints[0].RateBitsPerSecond; rate != 50_000_000 {
		t.Errorf("limit %d after off, want the uplink's capacity", rate)
	}
	if err := limit("vm7", 1_000_000); err == nil || !strings.Contains(err.Error(), "vm0") {
		t.Errorf("%v, want an error that names the endpoints there are", err)
	}
}

func TestSharesMakeAndEndGroups(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	sender := testnet.NewSender(t, h.vm)
	portOf := func(destination netip.Addr) model.Port {
		for _, pair := range h.status().Pairs {
			if pair.Destination == destination {
				return pair.Port
			}
		}
		return "none"
	}
	h.share(10_000_000, 4, peerIP)
	testnet.Until(t, "the group has its share", func() bool {
		g, ok := h.group(testPort)
		return ok && g.RateBitsPerSecond == 10_000_000
	})
	sender.Send(outward(ownIP, peerIP, testnet.NotECT))
	sender.Send(outward(ownIP, otherIP, testnet.NotECT))
	testnet.Until(t, "named destinations go to the port's group, others do not", func() bool {
		return portOf(peerIP) == testPort && portOf(otherIP) == model.Default
	})
	testnet.Until(t, "the group's class sends", func() bool {
		g, _ := h.group(testPort)
		return g.SentPackets == 1
	})

	h.share(10_000_000, 4, otherIP)
	testnet.Until(t, "destinations follow the newest share", func() bool {
		return portOf(peerIP) == model.Default && portOf(otherIP) == testPort
	})
	h.agent.decisions.ApplyUnitShares("node", []model.UnitShare{{Port: testPort, Expired: true}})
	testnet.Until(t, "the group ends", func() bool {
		_, ok := h.group(testPort)
		return !ok && portOf(otherIP) == model.Default
	})
}

func TestPoliciesApplyUntilTheyAreWithdrawn(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	h.agent.decisions.ApplyPolicies("node", []model.EndpointPolicy{
		{Interface: "vm0", Tenant: "gold", Weight: 2, CeilingBitsPerSecond: 9_000_000},
	})
	testnet.Until(t, "the policy holds", func() bool {
		e := h.status().Endpoints[0]
		return e.Tenant == "gold" && e.Weight == 2 && e.RateBitsPerSecond == 9_000_000
	})
	h.agent.decisions.ApplyPolicies("node", nil)
	testnet.Until(t, "the default is back", func() bool {
		e := h.status().Endpoints[0]
		return e.Tenant == "default" && e.Weight == 1 && e.RateBitsPerSecond == 50_000_000
	})
}

func TestReceiversSendFeedback(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	capture := testnet.NewCapture(t, h.far)
	vm := testnet.NewCapture(t, h.vm)
	sender := testnet.NewSender(t, h.far)
	for _, ecn := range []uint8{testnet.ECT0, testnet.CE, testnet.CE} {
		sender.Send(inward(peerIP, ownIP, ecn))
	}
	decoder := wire.NewDecoder(testProtocol, &wire.Keyring{}, true)
	var feedback model.Feedback
	testnet.Until(t, "all packets are reported back", func() bool {
		frame := capture.Next(eventually, testnet.IPProtocol(testProtocol))
		message, err := decoder.DecodeFrame(0, frame)
		if err != nil {
			t.Fatal(err)
		}
		feedback = message.Feedback
		if !bytes.Equal(frame[:12], []byte{2, 0, 0, 0, 0, 5, 2, 0, 0, 0, 0, 1}) {
			t.Fatalf("MACs %x", frame[:12])
		}
		return feedback.Packets == 3
	})
	if want := (model.Pair{Source: peerIP, Destination: ownIP}); feedback.Pair != want ||
		feedback.CEPackets != 2 || feedback.Bytes != 3000 {
		t.Errorf("%+v, want 2 CE in 3 packets of 1000 bytes of %v", feedback, want)
	}
	for range 3 {
		if ecn := testnet.ECNOf(vm.Next(eventually, udp)); ecn != testnet.NotECT {
			t.Errorf("the VM sees ECN %d, want Not-ECT", ecn)
		}
	}
	testnet.Until(t, "the first mark is in the trace", func() bool {
		line := traceLine(t, h.settings.TraceFile, "first-ce")
		return line["source"] == peerIP.String() && line["destination"] == ownIP.String()
	})
}

// traceLine is the first line of a trace about an event; nil if there is none yet.
func traceLine(t *testing.T, path, event string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if fields["event"] == event {
			return fields
		}
	}
	return nil
}

func TestMarksLowerTheLimit(t *testing.T) {
	t.Parallel()
	h := newHost(t, slowLoop).run()
	vm := testnet.NewCapture(t, h.vm)
	h.share(10_000_000, 4, peerIP)
	testnet.Until(t, "the share is in force", func() bool { _, ok := h.group(testPort); return ok })
	before, _ := h.group(testPort)

	data, sender := testnet.NewSender(t, h.vm), testnet.NewSender(t, h.far)
	encoder := wire.Encoder{Protocol: testProtocol, Keys: &wire.Keyring{}, AllowUnsigned: true}
	message := model.Feedback{
		Pair: model.Pair{Source: ownIP, Destination: peerIP}, Instance: 7,
		Sequence: wire.NextSequence(0, time.Now().UnixNano()), PeriodNanos: 2_500_000, Packets: 10, Bytes: 10_000,
	}
	buffer := make([]byte, wire.MaxFrameLength)
	deadline := time.Now().Add(eventually)
	for {
		length, err := encoder.EncodeFeedback(buffer, &message, wire.MAC{2, 0, 0, 0, 0, 5}, wire.MAC{2, 0, 0, 0, 0, 1})
		if err != nil {
			t.Fatal(err)
		}
		use(data, outward(ownIP, peerIP, testnet.NotECT))
		sender.Send(buffer[:length])
		if g, ok := h.group(testPort); ok && g.CEShare == 1 && g.RateBitsPerSecond < before.RateBitsPerSecond*9/10 {
			break
		}
		if time.Now().After(deadline) {
			g, ok := h.group(testPort)
			t.Fatalf("the limit was %d, now %+v (%v)", before.RateBitsPerSecond, g, ok)
		}
		message.Sequence++
		message.Packets += 10
		message.CEPackets += 10
		message.Bytes += 10_000
		time.Sleep(2 * time.Millisecond)
	}
	if frames := vm.Waiting(testnet.IPProtocol(testProtocol)); len(frames) != 0 {
		t.Errorf("%d control packets reached the VM", len(frames))
	}
	if s := h.status().Feedback; s.Accepted == 0 || s.Refused != 0 {
		t.Errorf("feedback %+v", s)
	}
	if line := traceLine(t, h.settings.TraceFile, "class-change"); line["interface"] != "vm0" || line["port"] != string(testPort) {
		t.Errorf("trace %v, want the class's change", line)
	}
}
