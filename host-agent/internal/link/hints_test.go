// SPDX-License-Identifier: Apache-2.0

package link

import (
	"strings"
	"testing"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
)

func hinted(node string, term, sequence, revision uint64, hints ...*pb.TcpHint) *pb.ControllerMessage {
	m := message(node, term, sequence)
	m.Body = &pb.ControllerMessage_TcpHints{TcpHints: &pb.TcpHints{Revision: revision, Hints: hints}}
	return m
}

func window(segments uint32) *pb.TcpHint { return &pb.TcpHint{InitialWindowSegments: segments} }

func TestHintsOfTheLatestTermHoldUntilTheirNodesLeaseEnds(t *testing.T) {
	b := newTableTest(t)
	b.receive(hinted("a", 1, 5, 1, window(20)), 0, "a hints 1: [{[] 20 0  0}]")
	b.receive(hinted("a", 1, 4, 9), 1)
	b.receive(hinted("b", 2, 1, 1), 0, "b hints 1: []")
	b.receive(hinted("a", 1, 6, 2, window(30)), 0)
	b.table.voidHints("b")
	b.expect("a hints 2: [{[] 30 0  0}]")
	welcome := message("a", 1, 1)
	welcome.Body = &pb.ControllerMessage_Welcome{Welcome: &pb.Welcome{}}
	b.receive(welcome, 0, " hints 0: []")
	b.receive(hinted("a", 1, 2, 1, window(20)), 0, "a hints 1: [{[] 20 0  0}]")
	b.now += testLease.Nanoseconds()
	b.table.expire(b.now)
	b.expect(" hints 0: []", "a lease", "b lease")
}

func TestMalformedHintsAreRefused(t *testing.T) {
	prefix := func(ip []byte, length uint32) *pb.TcpHint {
		return &pb.TcpHint{Destinations: []*pb.Prefix{{Ip: ip, Length: length}}}
	}
	for field, hint := range map[string]*pb.TcpHint{
		"hints[0].initial_window_segments": window(1001),
		"hints[0].rto_min_nanos":           {RtoMinNanos: 60_000_000_001},
		"hints[0].congestion_control":      {CongestionControl: "a control"},
		"hints[0].pacing_bits_per_second":  {PacingBitsPerSecond: maxRateBitsPerSecond + 1},
		"hints[0].destinations[0].ip":      prefix([]byte{10, 0, 0}, 8),
		"hints[0].destinations[0].length":  prefix([]byte{10, 0, 0, 0}, 33),
	} {
		b := newTableTest(t)
		if _, err := b.table.receive(0, hinted("a", 1, 1, 1, hint)); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
		b.expect()
	}
	b := newTableTest(t)
	many := &pb.TcpHint{}
	for i := range maxHintPrefixes + 1 {
		many.Destinations = append(many.Destinations, &pb.Prefix{Ip: []byte{10, 0, byte(i >> 8), byte(i)}, Length: 32})
	}
	if _, err := b.table.receive(0, hinted("a", 1, 1, 1, many)); err == nil {
		t.Error("too many prefixes are taken")
	}
}
