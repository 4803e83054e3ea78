// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/binary"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const (
	orderedPackets = 11 // of outward's 1000 bytes: more than a sparse flow has at 5 Mbit/s
	orderedFlows   = 12
)

// numbered is the VM's n-th packet of a flow.
func numbered(flow, n int) []byte {
	frame := outward(ownIP, peerIP, testnet.NotECT)
	binary.BigEndian.PutUint16(frame[testnet.EthernetBytes+20:], uint16(1000+flow)) // UDP's source port
	binary.BigEndian.PutUint16(frame[len(frame)-2:], uint16(n))
	return frame
}

// overtaken receives so many packets and counts those that come behind a later one of their flow.
func overtaken(capture *testnet.Capture, packets int) int {
	last, late := map[uint16]uint16{}, 0
	for range packets {
		frame := capture.Next(eventually, udp)
		flow := binary.BigEndian.Uint16(frame[testnet.EthernetBytes+20:])
		n := binary.BigEndian.Uint16(frame[len(frame)-2:])
		if n < last[flow] {
			late++
		}
		last[flow] = max(last[flow], n)
	}
	return late
}

// A request that is too large for a sparse flow turns bulk while its first packets still wait in the sparse leaf.
func TestAFlowThatBecomesBulkStaysInOrder(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	h.limit("vm0", 5_000_000)
	capture, sender := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.vm)
	late := 0
	for flow := range orderedFlows {
		for n := range orderedPackets {
			sender.Send(numbered(flow, n))
		}
		late += overtaken(capture, orderedPackets)
	}
	if late > 0 {
		t.Errorf("%d of %d packets were overtaken by one of their flow", late, orderedFlows*orderedPackets)
	}
}

// A share takes a destination to a class of its own while packets for it wait in the default one.
func TestAFlowStaysInOrderWhenItsDestinationBecomesControlled(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil).run()
	h.limit("vm0", 5_000_000)
	capture, sender := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.vm)
	sent := 0
	send := func() {
		sender.Send(numbered(0, sent))
		sent++
	}
	for range 6 {
		send()
	}
	h.share(4_000_000, 1, peerIP)
	testnet.Until(t, "the port has a group", func() bool {
		send()
		_, ok := h.group(testPort)
		return ok
	})
	send()
	if late := overtaken(capture, sent); late > 0 {
		t.Errorf("%d of %d packets were overtaken by one of their flow", late, sent)
	}
	testnet.Until(t, "what comes later has the new limit", func() bool {
		send()
		overtaken(capture, 1)
		group, _ := h.group(testPort)
		return group.SentPackets > 0
	})
}
