// SPDX-License-Identifier: Apache-2.0

package link

import (
	"strings"
	"testing"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func sizesOf(port uint16, bytes uint64, ended bool) model.FlowSizes {
	sizes := model.FlowSizes{Large: []model.LargeFlow{{Flow: testFlow(port), SentBytes: bytes, Ended: ended}}}
	if ended {
		sizes.Ended.Add(bytes)
	}
	return sizes
}

func openOutbox() *outbox {
	box := newOutbox()
	box.watchSizes(true)
	box.begin()
	return box
}

// A slow controller gets the latest of each large flow, and all that ended.
func TestPendingSizesAreMerged(t *testing.T) {
	box := openOutbox()
	if _, some := box.takeSizes(); some {
		t.Error("something waits")
	}
	box.observeSizes(sizesOf(1, 1000, false))
	box.observeSizes(sizesOf(2, 1000, true))
	box.observeSizes(sizesOf(1, 1000, true))
	box.observeSizes(sizesOf(3, 7, true))
	taken, _ := box.takeSizes()
	message := flowSizesOf(taken)
	if large := message.GetLarge(); len(large) != 3 || !large[0].GetEnded() || large[0].GetSentBytes() != 1000 ||
		large[1].GetFlow().GetSourcePort() != 2 || large[2].GetFlow().GetSourcePort() != 3 {
		t.Errorf("%v", large)
	}
	if ended := message.GetEnded(); len(ended) != 2 || ended[0].GetBytes() != 7 || ended[0].GetFlows() != 1 ||
		ended[1].GetBytes() != 1023 || ended[1].GetFlows() != 2 {
		t.Errorf("%v", ended)
	}
	if _, some := box.takeSizes(); some {
		t.Error("something waits")
	}
}

func TestPendingSizesAreBounded(t *testing.T) {
	box := openOutbox()
	for port := range uint16(maxWaitingSizes + 3) {
		box.observeSizes(sizesOf(port, 9, true))
	}
	box.observeSizes(sizesOf(0, 10, false)) // one that waits is replaced
	taken, _ := box.takeSizes()
	if len(taken.Large) != maxWaitingSizes || taken.Large[0].SentBytes != 10 || taken.Ended[9] == maxWaitingSizes {
		t.Errorf("%d wait, %d counted", len(taken.Large), taken.Ended[9])
	}
	var ended uint64
	for _, count := range taken.Ended {
		ended += count
	}
	if _, samples := box.dropped(); samples != 3 || ended != maxWaitingSizes+3 {
		t.Errorf("%d dropped, %d of the histogram, want 3 and all", samples, ended)
	}
}

func TestSizesAreReportedInTheirSessionOnly(t *testing.T) {
	box := newOutbox()
	box.begin()
	box.observeSizes(sizesOf(1, 1000, true)) // reports are off
	box.watchSizes(true)
	box.observeSizes(sizesOf(1, 1000, true))
	box.end()
	box.observeSizes(sizesOf(2, 1000, true)) // there is no session
	box.begin()
	if taken, some := box.takeSizes(); some {
		t.Errorf("%+v", taken)
	}
	box.observeSizes(sizesOf(3, 1000, true))
	if _, some := box.takeSizes(); !some {
		t.Error("nothing waits")
	}
	box.watchSizes(false)
	box.observeSizes(sizesOf(3, 1000, true))
	if taken, some := box.takeSizes(); some {
		t.Errorf("%+v", taken)
	}
}

func TestASizeReportIsLimitedToWhatAControllerAccepts(t *testing.T) {
	var sizes model.FlowSizes
	sizes.Ended[20] = 1<<20 + 5
	if ended := flowSizesOf(sizes).GetEnded(); len(ended) != 1 || ended[0].GetFlows() != 1<<20 {
		t.Errorf("%v", ended)
	}
}

func TestLevelThresholdsMustIncrease(t *testing.T) {
	for name, c := range map[string]struct {
		bytes []uint64
		err   string
	}{
		"none":               {nil, ""},
		"one":                {[]uint64{1}, ""},
		"as many as can be":  {[]uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, maxThresholdBytes}, ""},
		"too many":           {make([]uint64, 16), "16 thresholds, at most 15"},
		"a level of 0 bytes": {[]uint64{0, 5}, "level_threshold_bytes[0]: 0"},
		"too large":          {[]uint64{5, maxThresholdBytes + 1}, "level_threshold_bytes[1]: 1000000000001"},
		"the same":           {[]uint64{5, 5}, "level_threshold_bytes[1]: 5 must be more"},
		"falling":            {[]uint64{5, 9, 6}, "level_threshold_bytes[2]: 6 must be more"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTableTest(t)
			m := settings("a", 1, 1)
			m.GetSettings().LevelThresholdBytes = c.bytes
			m.GetSettings().ReportFlowSizes = true
			_, err := b.table.receive(0, m)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%v, want %q", err, c.err)
			}
			if s, err := settingsOf(m.GetSettings()); err == nil && (!s.ReportFlowSizes || len(s.LevelThresholdBytes) != len(c.bytes)) {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestSizesReachAController(t *testing.T) {
	s, controller := newLinkFixture(t), newFakeController("onos1")
	controller.start(t, s.authority, "controller")
	s.run(controller)
	eventually(t, "connected", s.connected)
	s.client.WatchFlowSizes(true)
	s.client.ObserveFlowSizes(sizesOf(7, 123_456, true))
	eventually(t, "the controller has the sizes", func() bool {
		return controller.receivedAny(func(m *pb.AgentMessage) bool {
			sizes := m.GetFlowSizes()
			return len(sizes.GetLarge()) == 1 && sizes.GetLarge()[0].GetSentBytes() == 123_456 && sizes.GetLarge()[0].GetEnded() &&
				len(sizes.GetEnded()) == 1 && sizes.GetEnded()[0].GetFlows() == 1
		})
	})
}
