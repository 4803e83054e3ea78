// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// Of two destinations that are sent as much, the one behind a congested port waits, until it is sent no more.
func TestAgentsReportWhatWaitsForItsLimit(t *testing.T) {
	t.Parallel()
	controllers := &observer{t: t}
	h := newHost(t, nil).runWith(controllers.connect)
	limited, free := model.Pair{Source: ownIP, Destination: peerIP}, model.Pair{Source: ownIP, Destination: otherIP}
	h.share(1_000_000, 10, peerIP)
	testnet.Until(t, "the share is in force", func() bool { _, ok := h.group(testPort); return ok })
	stop := flood(t, h.vm, outward(ownIP, peerIP, testnet.NotECT), outward(ownIP, otherIP, testnet.NotECT))
	testnet.Until(t, "it waits", func() bool { return controllers.waits(limited) })
	if controllers.waits(free) {
		t.Error("what has no port's limit waits for one")
	}
	stop()
	testnet.Until(t, "it waits no more", func() bool { return !controllers.waits(limited) })
}
