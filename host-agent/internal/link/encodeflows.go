// SPDX-License-Identifier: Apache-2.0

package link

import (
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

var flowStates = map[model.FlowState]pb.FlowUpdate_State{
	model.FlowOpened:      pb.FlowUpdate_STATE_OPENED,
	model.FlowEstablished: pb.FlowUpdate_STATE_ESTABLISHED,
	model.FlowClosed:      pb.FlowUpdate_STATE_CLOSED,
}

// maxProgressAgeNanos is the highest age in a report (agent_link.proto): an older one is of no use.
const maxProgressAgeNanos = int64(10 * time.Minute)

// flowReportOf encodes a report that is sent now.
func flowReportOf(report flowReport, nowNanos int64) *pb.FlowReport {
	message := &pb.FlowReport{Complete: report.complete}
	for _, update := range report.updates {
		message.Flows = append(message.Flows, &pb.FlowUpdate{
			Flow: flowIDOf(update.Flow), State: flowStates[update.State], DeliveredBytes: update.DeliveredBytes,
			RoundTripNanos: uint64(update.RoundTripNanos), ScaleUnknown: update.ScaleUnknown,
			AcknowledgedSequence: proto.Uint32(update.AcknowledgedSequence),
			ProgressAgeNanos:     progressAge(update, nowNanos),
		})
	}
	return message
}

func progressAge(update model.FlowUpdate, nowNanos int64) uint64 {
	if update.ProgressNanos == 0 {
		return 0
	}
	return uint64(min(max(nowNanos-update.ProgressNanos, 0), maxProgressAgeNanos))
}

// maxLostFrameBytes of frames go into one message; what is lost besides is reported without.
const maxLostFrameBytes = 256 << 10

func lossReportOf(losses []model.Loss) *pb.LossReport {
	message := &pb.LossReport{}
	frameBytes := 0
	for _, l := range losses {
		lost := &pb.Loss{
			Port: string(l.Port), Flow: flowIDOf(l.Flow), Sequence: l.Sequence, PayloadBytes: l.PayloadBytes, Kept: l.Kept,
		}
		if frameBytes += len(l.Frame); frameBytes <= maxLostFrameBytes {
			lost.Frame = l.Frame
		}
		message.Losses = append(message.Losses, lost)
	}
	return message
}

func flowRequestOf(request numberedRequest) *pb.FlowRequest {
	message := &pb.FlowRequest{Request: request.number}
	switch {
	case request.Register != nil:
		deadline := request.Register
		message.Operation = &pb.FlowRequest_Register{Register: &pb.DeadlineRequest{
			Flow: flowIDOf(deadline.Flow), SizeBytes: deadline.SizeBytes, DueInNanos: deadline.DueInNanos,
			BeginsInNanos: deadline.BeginsInNanos, Force: deadline.Force,
		}}
	case request.List:
		message.Operation = &pb.FlowRequest_Query{Query: &pb.FlowQuery{}}
	default:
		message.Operation = &pb.FlowRequest_Remove{Remove: request.Remove}
	}
	return message
}

func flowIDOf(flow model.FlowID) *pb.FlowId {
	return &pb.FlowId{
		Source: flow.Source.AsSlice(), SourcePort: uint32(flow.SourcePort),
		Destination: flow.Destination.AsSlice(), DestinationPort: uint32(flow.DestinationPort),
	}
}
