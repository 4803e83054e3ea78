// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// briefLevels have flows end soon: threeLevels with the shortest silence.
func briefLevels(c *config.Host) {
	threeLevels(c)
	c.Levels.IdleMillis = 100
}

// decide has a controller's settings hold.
func (h *host) decide(change func(*model.HostSettings)) {
	settings := model.HostSettings{Enforcement: true, ControlPeriodNanos: (5 * time.Millisecond).Nanoseconds()}
	change(&settings)
	h.agent.decisions.ApplySettings("node", settings)
}

// sizes are what was reported of a flow, and how many of which have ended in all.
func (o *observer) sizes(flow model.FlowID) (large []model.LargeFlow, ended model.FlowSizeCounts) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(o.large), func(l model.LargeFlow) bool { return l.Flow != flow }), o.ended
}

func TestFlowSizesAreReportedToControllers(t *testing.T) {
	t.Parallel()
	controller := &observer{t: t}
	h := newHost(t, briefLevels).runWith(controller.connect)
	h.decide(func(s *model.HostSettings) { s.ReportFlowSizes = true })
	testnet.Until(t, "sizes are reported", func() bool { return h.status().Levels.Sizes.Reported })
	sender := testnet.NewSender(t, h.vm)
	send := func(port uint16) {
		frame := outward(ownIP, peerIP, testnet.NotECT)
		binary.BigEndian.PutUint16(frame[testnet.EthernetBytes+20:], port)
		sender.Send(frame)
	}
	flow := model.FlowID{Source: ownIP, SourcePort: 5000, Destination: peerIP, DestinationPort: 2000}
	for range 6 {
		send(5000)
	}
	send(5001)
	testnet.Until(t, "the large flow is reported, and its end", func() bool {
		large, _ := controller.sizes(flow)
		return len(large) > 0 && large[len(large)-1] == model.LargeFlow{Flow: flow, SentBytes: 6000, Ended: true}
	})
	var want model.FlowSizeCounts
	want.Add(6000)
	want.Add(1000)
	testnet.Until(t, "the small flow's size is counted when it begins anew", func() bool {
		time.Sleep(150 * time.Millisecond) // the flow's own pause
		send(5001)
		_, ended := controller.sizes(flow)
		for bin := range ended {
			if want[bin] > ended[bin] {
				return false
			}
		}
		return true
	})
	if levels := h.status().Levels; levels.Sizes.LargeFlows != 0 || levels.Sizes.RefusedFlows != 0 {
		t.Errorf("%+v", levels.Sizes)
	}
}

// A controller's thresholds hold for the next packet, until it takes them back; those that do not fit are named.
func TestAControllerDecidesThresholds(t *testing.T) {
	t.Parallel()
	controller := &observer{t: t}
	h := newHost(t, threeLevels).runWith(controller.connect)
	capture, sender := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.vm)
	port := uint16(6000)
	// codePoints are those of a flow's first packets.
	codePoints := func() (dscps []uint8) {
		port++
		for range 4 {
			frame := outward(ownIP, peerIP, testnet.NotECT)
			binary.BigEndian.PutUint16(frame[testnet.EthernetBytes+20:], port)
			sender.Send(frame)
			dscps = append(dscps, testnet.DSCPOf(capture.Next(eventually, udp)))
		}
		return dscps
	}
	for _, step := range []struct {
		name       string
		thresholds []uint64
		holds      []uint64
		dscps      []uint8
		condition  string
	}{
		{"decided", []uint64{1000, 2000}, []uint64{1000, 2000}, []uint8{24, 16, 8, 8}, ""},
		{"of another number", []uint64{1000}, []uint64{2000, 4000}, []uint8{24, 24, 16, 16}, "levels.thresholdBytes has 2"},
		{"decided again", []uint64{3000, 4000}, []uint64{3000, 4000}, []uint8{24, 24, 24, 16}, ""},
		{"taken back", nil, []uint64{2000, 4000}, []uint8{24, 24, 16, 16}, ""},
	} {
		h.decide(func(s *model.HostSettings) { s.LevelThresholdBytes = step.thresholds })
		testnet.Until(t, step.name, func() bool { return slices.Equal(h.status().Levels.ThresholdBytes, step.holds) })
		if dscps := codePoints(); !slices.Equal(dscps, step.dscps) {
			t.Errorf("%s: DSCPs %v, want %v", step.name, dscps, step.dscps)
		}
		levels := h.status().Levels
		if !strings.Contains(levels.Condition, step.condition) || (levels.Condition == "") != (step.condition == "") ||
			levels.Decided != slices.Equal(step.thresholds, step.holds) {
			t.Errorf("%s: %+v", step.name, levels)
		}
		if step.condition != "" {
			testnet.Until(t, "controllers receive it", func() bool {
				return controller.count(func(e model.Event) bool {
					return e.Kind == model.ConditionsChanged && len(e.Conditions) == 1 && strings.Contains(e.Conditions[0], step.condition)
				}) > 0
			})
		}
	}
}
