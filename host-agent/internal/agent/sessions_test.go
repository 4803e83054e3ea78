// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// A controller that sends nothing at all may be gone: only one that is there ends a port by its silence about it.
func TestASilentControllersSharesStay(t *testing.T) {
	t.Parallel()
	controllers := &observer{t: t}
	controllers.silentNanos.Store(2 * silenceNanos)
	h := newHost(t, nil).runWith(controllers.connect)
	h.share(10_000_000, 4, peerIP)
	testnet.Until(t, "the share is in force", func() bool { _, ok := h.group(testPort); return ok })
	time.Sleep(4 * time.Second) // it would have ended after 3 s
	if g, ok := h.group(testPort); !ok || g.RateBitsPerSecond != 10_000_000 {
		t.Errorf("%+v, %v; want the share in force", g, ok)
	}
	controllers.silentNanos.Store(0)
	testnet.Until(t, "the controller is there again, and does not publish it", func() bool {
		_, ok := h.group(testPort)
		return !ok
	})
}
