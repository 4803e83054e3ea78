// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"time"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// maxHintPrefixes bounds the routes that one set can add.
	maxHintPrefixes = 4096
	// maxInitialWindow is more than any receive window has room for without scaling.
	maxInitialWindow = 1000
	maxRtoMin        = time.Minute
)

// controlName is what the kernel takes for the name of a congestion control.
var controlName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,15}$`)

// nodeHints is the latest set of a node that has a session.
type nodeHints struct {
	at    position
	hints model.TCPHints
}

// hintTable has the sets of all nodes. The latest term's holds: in it the leader has changed.
type hintTable struct {
	nodes  map[string]nodeHints
	holder string
}

func newHintTable() hintTable { return hintTable{nodes: map[string]nodeHints{}} }

// latest is the node whose set holds; empty if there is none.
func (t *hintTable) latest() string {
	holder := ""
	for _, node := range slices.Sorted(maps.Keys(t.nodes)) {
		if holder == "" || t.nodes[node].at.term > t.nodes[holder].at.term {
			holder = node
		}
	}
	return holder
}

func (t *decisionTable) applyHints(m incoming) error {
	hints, err := hintsOf(m.GetTcpHints())
	if err != nil || !t.fresh(m, subject{}) {
		return err
	}
	t.hints.nodes[m.id] = nodeHints{m.at, hints}
	if t.hints.latest() == m.id {
		t.decideHints(m.id)
	}
	return nil
}

// decideHints has those of a node hold; of none: none do.
func (t *decisionTable) decideHints(id string) {
	t.hints.holder = id
	decide(t, func(to model.HintDecisions) { to.ApplyTCPHints(id, t.hints.nodes[id].hints) })
}

// voidHints ends what a node has hinted.
func (t *decisionTable) voidHints(id string) {
	delete(t.hints.nodes, id)
	if t.hints.holder == id {
		t.decideHints(t.hints.latest())
	}
}

// sessionEnded ends what ends with a node's session.
func (c *Client) sessionEnded(node string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.table.voidHints(node)
}

func hintsOf(message *pb.TcpHints) (model.TCPHints, error) {
	hints := model.TCPHints{Revision: message.GetRevision()}
	prefixes := 0
	for i, one := range message.GetHints() {
		at := fmt.Sprintf("tcp_hints.hints[%d]", i)
		hint, err := hintOf(at, one)
		if err != nil {
			return model.TCPHints{}, err
		}
		hints.Hints = append(hints.Hints, hint)
		if prefixes += max(len(hint.Destinations), 1); prefixes > maxHintPrefixes {
			return model.TCPHints{}, fmt.Errorf("%s: more than %d prefixes in all", at, maxHintPrefixes)
		}
	}
	return hints, nil
}

func hintOf(at string, message *pb.TcpHint) (model.TCPHint, error) {
	hint := model.TCPHint{
		InitialWindowSegments: message.GetInitialWindowSegments(), RtoMinNanos: message.GetRtoMinNanos(),
		CongestionControl: message.GetCongestionControl(), PacingBitsPerSecond: message.GetPacingBitsPerSecond(),
	}
	if hint.InitialWindowSegments > maxInitialWindow {
		return hint, fmt.Errorf("%s.initial_window_segments: %d must be at most %d", at, hint.InitialWindowSegments, maxInitialWindow)
	}
	if hint.RtoMinNanos > uint64(maxRtoMin) {
		return hint, fmt.Errorf("%s.rto_min_nanos: %d must be at most %d", at, hint.RtoMinNanos, uint64(maxRtoMin))
	}
	if hint.CongestionControl != "" && !controlName.MatchString(hint.CongestionControl) {
		return hint, fmt.Errorf("%s.congestion_control: %q must be a name as Linux has them, at most 15 characters", at, hint.CongestionControl)
	}
	if hint.PacingBitsPerSecond > maxRateBitsPerSecond {
		return hint, fmt.Errorf("%s.pacing_bits_per_second: %d must be at most %d", at, hint.PacingBitsPerSecond, uint64(maxRateBitsPerSecond))
	}
	for i, prefix := range message.GetDestinations() {
		address, ok := netip.AddrFromSlice(prefix.GetIp())
		if !ok || address.Is4In6() {
			return hint, fmt.Errorf("%s.destinations[%d].ip: %x; an IPv4 address has 4 bytes, an IPv6 address 16", at, i, prefix.GetIp())
		}
		if prefix.GetLength() > uint32(address.BitLen()) {
			return hint, fmt.Errorf("%s.destinations[%d].length: %d must be at most %d", at, i, prefix.GetLength(), address.BitLen())
		}
		hint.Destinations = append(hint.Destinations, netip.PrefixFrom(address, int(prefix.GetLength())).Masked())
	}
	return hint, nil
}

// ReportTCPHints reports what was made of a node's hints to that node. It never blocks: a slow controller receives
// the latest.
func (c *Client) ReportTCPHints(node string, report model.TCPHintReport) {
	for _, to := range c.controllers {
		if to.nodeIs() == node {
			to.outbox.reportHints(report)
		}
	}
}

func (o *outbox) reportHints(report model.TCPHintReport) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open {
		o.hints = &report
		o.signal()
	}
}

// takeHints empties the outbox of the report on hints; nil if there is none.
func (o *outbox) takeHints() *model.TCPHintReport {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.hints
	o.hints = nil
	return taken
}

func hintReportOf(report *model.TCPHintReport) *pb.TcpHintReport {
	message := &pb.TcpHintReport{Revision: report.Revision, Refused: report.Refused}
	for _, hint := range report.Hints {
		message.Hints = append(message.Hints, &pb.AppliedTcpHint{
			InitialWindowSegments: hint.InitialWindowSegments, RtoMinNanos: hint.RtoMinNanos,
			CongestionControl: hint.CongestionControl, PacingBitsPerSecond: hint.PacingBitsPerSecond,
			Routes: hint.Routes, Cgroups: hint.Cgroups,
		})
	}
	return message
}
