// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// A limited endpoint's queue has room for the first windows of its flows, and shrinks when they have ended.
func TestQueueLengthFollowsTheNumberOfFlows(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.run()
	h.apply(model.EndpointPolicy{Interface: "vm0", Weight: 1, CeilingBitsPerSecond: 10_000_000})
	floodOf := func(flows int) (stop func()) {
		frames := make([][]byte, flows)
		for i := range frames {
			frames[i] = outward(ownIP, peerIP, testnet.NotECT)
			binary.BigEndian.PutUint16(frames[i][testnet.EthernetBytes+20:], uint16(3000+i)) // the source port
		}
		return floodOfFrames(t, h.vm, frames...)
	}
	expect := func(flows int, least, most uint64) {
		t.Helper()
		stop := floodOf(flows)
		defer stop()
		testnet.Until(t, fmt.Sprintf("%d flows: the full queue holds %d to %d bytes", flows, least, most), func() bool {
			e, _ := h.endpoint("vm0")
			return e.BacklogBytes >= least && e.BacklogBytes <= most
		})
	}
	expect(1, 12_000, 15_140)
	expect(10, 110_000, 125_000)
	expect(2, 20_000, 30_280)
}
