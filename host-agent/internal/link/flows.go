// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"math"
	"net/netip"
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// flowPositions order the messages of one node about flows: those of different switches come in
// different terms.
type flowPositions map[flowDuty]position

type flowDuty struct {
	kind bodyKind
	flow model.FlowID
}

// maxFlowPositions are remembered of one node; then it begins anew, for within a session messages come
// in order anyway.
const maxFlowPositions = 16384

// freshFlow says whether a message comes after the last one about a flow, and remembers it if so.
func (b *book) freshFlow(n *node, d flowDuty, at position) bool {
	if last, ok := n.flows[d]; ok && !at.after(last) {
		b.stale++
		return false
	}
	if len(n.flows) >= maxFlowPositions {
		clear(n.flows)
	}
	n.flows[d] = at
	return true
}

// ---------------------------------------------------------------- controller -> agent

func grantsOf(message *pb.WindowGrants) ([]model.WindowGrant, error) {
	grants := make([]model.WindowGrant, 0, len(message.GetGrants()))
	for i, g := range message.GetGrants() {
		at := fmt.Sprintf("grants[%d]", i)
		flow, err := flowOf(at+".flow", g.GetFlow())
		if err != nil {
			return nil, err
		}
		grant := model.WindowGrant{Flow: flow}
		switch window := g.GetWindow().(type) {
		case *pb.WindowGrant_WindowBytes:
			grant.WindowBytes = window.WindowBytes
		case *pb.WindowGrant_Released:
			if grant.Released = window.Released; !grant.Released {
				return nil, fmt.Errorf("%s.released: false says nothing; leave it out, or give window_bytes", at)
			}
		default:
			return nil, fmt.Errorf("%s: neither window_bytes nor released is given", at)
		}
		grants = append(grants, grant)
	}
	return grants, nil
}

// flowOf takes patterns, too.
func flowOf(field string, id *pb.FlowId) (model.FlowID, error) {
	var flow model.FlowID
	ends := []struct {
		name    string
		address []byte
		port    uint32
		into    *netip.Addr
		intoTo  *uint16
	}{
		{"source", id.GetSource(), id.GetSourcePort(), &flow.Source, &flow.SourcePort},
		{"destination", id.GetDestination(), id.GetDestinationPort(), &flow.Destination, &flow.DestinationPort},
	}
	for _, end := range ends {
		address, ok := netip.AddrFromSlice(end.address)
		if !ok {
			return flow, fmt.Errorf("%s.%s: %d bytes; an IP address has 4 or 16", field, end.name, len(end.address))
		}
		if end.port > math.MaxUint16 {
			return flow, fmt.Errorf("%s.%s_port: %d must be at most %d", field, end.name, end.port, math.MaxUint16)
		}
		*end.into, *end.intoTo = address.Unmap(), uint16(end.port)
	}
	if flow.Source.Is4() != flow.Destination.Is4() {
		return flow, fmt.Errorf("%s: %s: one end is IPv4, the other IPv6", field, flow)
	}
	return flow, nil
}

// exactFlowOf takes no patterns.
func exactFlowOf(field string, id *pb.FlowId) (model.FlowID, error) {
	flow, err := flowOf(field, id)
	if err == nil && flow.IsPattern() {
		err = fmt.Errorf("%s: %s: both ports must be given", field, flow)
	}
	return flow, err
}

// ---------------------------------------------------------------- agent -> controller

func flowIDOf(flow model.FlowID) *pb.FlowId {
	return &pb.FlowId{
		Source: flow.Source.AsSlice(), SourcePort: uint32(flow.SourcePort),
		Destination: flow.Destination.AsSlice(), DestinationPort: uint32(flow.DestinationPort),
	}
}

var flowStates = map[model.FlowState]pb.FlowNews_State{
	model.FlowOpened:      pb.FlowNews_OPENED,
	model.FlowEstablished: pb.FlowNews_ESTABLISHED,
	model.FlowClosed:      pb.FlowNews_CLOSED,
}

// maxProgressAgeNanos is the most that a report says (agent_link.proto): what is older is of no use.
const maxProgressAgeNanos = int64(10 * time.Minute)

// flowReportOf makes a message of now.
func flowReportOf(report flowReport, nowNanos int64) *pb.FlowReport {
	message := &pb.FlowReport{Complete: report.complete}
	for _, news := range report.news {
		message.Flows = append(message.Flows, &pb.FlowNews{
			Flow: flowIDOf(news.Flow), State: flowStates[news.State], DeliveredBytes: news.DeliveredBytes,
			RoundTripNanos: uint64(news.RoundTripNanos), ScaleUnknown: news.ScaleUnknown,
			AcknowledgedSequence: proto.Uint32(news.AcknowledgedSequence),
			ProgressAgeNanos:     progressAge(news, nowNanos),
		})
	}
	return message
}

func progressAge(news model.FlowNews, nowNanos int64) uint64 {
	if news.ProgressNanos == 0 {
		return 0
	}
	return uint64(min(max(nowNanos-news.ProgressNanos, 0), maxProgressAgeNanos))
}
