// SPDX-License-Identifier: Apache-2.0

package link

import (
	"errors"
	"fmt"
	"math"
	"net/netip"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// maxLostBytes are more than any window.
const maxLostBytes = 1 << 30

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
				return nil, fmt.Errorf("%s.released: false has no meaning; leave it out, or give window_bytes", at)
			}
		default:
			return nil, fmt.Errorf("%s: neither window_bytes nor released is given", at)
		}
		grants = append(grants, grant)
	}
	return grants, nil
}

func grantedFlow(g model.WindowGrant) model.FlowID { return g.Flow }

func lossAnswersOf(message *pb.LossAnswers) ([]model.LossAnswer, error) {
	answers := make([]model.LossAnswer, 0, len(message.GetAnswers()))
	for i, a := range message.GetAnswers() {
		at := fmt.Sprintf("answers[%d]", i)
		flow, err := exactFlowOf(at+".flow", a.GetFlow())
		if err != nil {
			return nil, err
		}
		if a.GetPayloadBytes() == 0 || a.GetPayloadBytes() > maxLostBytes {
			return nil, fmt.Errorf("%s.payload_bytes: %d must be from 1 to %d", at, a.GetPayloadBytes(), maxLostBytes)
		}
		answers = append(answers, model.LossAnswer{Flow: flow, Sequence: a.GetSequence(), PayloadBytes: a.GetPayloadBytes()})
	}
	return answers, nil
}

func lostFlow(a model.LossAnswer) model.FlowID { return a.Flow }

func resendsOf(message *pb.Resends) ([]model.Resend, error) {
	resends := make([]model.Resend, 0, len(message.GetResends()))
	for i, r := range message.GetResends() {
		if err := name(fmt.Sprintf("resends[%d].port", i), r.GetPort()); err != nil {
			return nil, err
		}
		if r.GetKept() == 0 {
			return nil, fmt.Errorf("resends[%d].kept: 0 names no packet", i)
		}
		resends = append(resends, model.Resend{Port: model.Port(r.GetPort()), Kept: r.GetKept()})
	}
	return resends, nil
}

func resendPort(r model.Resend) model.Port { return r.Port }

func flowAnswerOf(message *pb.FlowAnswer) (model.FlowAnswer, error) {
	switch answer := message.GetAnswer().(type) {
	case *pb.FlowAnswer_Registered:
		return model.FlowAnswer{Registered: &model.RegisteredFlow{
			ID: answer.Registered.GetId(), Promised: answer.Registered.GetPromised(),
		}}, nil
	case *pb.FlowAnswer_CannotBeMet:
		return model.FlowAnswer{CannotBeMet: &model.CannotBeMet{EarliestNanos: answer.CannotBeMet.EarliestNanos}}, nil
	case *pb.FlowAnswer_Refused:
		return model.FlowAnswer{Refused: &model.Refusal{
			Field: answer.Refused.GetField(), Detail: answer.Refused.GetDetail(),
		}}, nil
	case *pb.FlowAnswer_Removed:
		return model.FlowAnswer{Removed: &answer.Removed}, nil
	case *pb.FlowAnswer_Flows:
		list := []model.RegisteredFlow{}
		for i, one := range answer.Flows.GetFlows() {
			flow, err := flowOf(fmt.Sprintf("flow_answer.flows[%d].flow", i), one.GetFlow())
			if err != nil {
				return model.FlowAnswer{}, err
			}
			list = append(list, model.RegisteredFlow{
				ID: one.GetId(), Flow: flow, SizeBytes: one.GetSizeBytes(), RemainingBytes: one.GetRemainingBytes(),
				DueInNanos: one.GetDueInNanos(), Promised: one.GetPromised(), State: one.GetState(),
			})
		}
		return model.FlowAnswer{Flows: list}, nil
	}
	return model.FlowAnswer{}, errors.New("flow_answer: without an answer of a known kind")
}

// flowOf accepts patterns, too.
func flowOf(field string, id *pb.FlowId) (model.FlowID, error) {
	var flow model.FlowID
	ends := []struct {
		name     string
		address  []byte
		port     uint32
		into     *netip.Addr
		intoPort *uint16
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
		*end.into, *end.intoPort = address.Unmap(), uint16(end.port)
	}
	if flow.Source.Is4() != flow.Destination.Is4() {
		return flow, fmt.Errorf("%s: %s: one end is IPv4, the other IPv6", field, flow)
	}
	return flow, nil
}

// exactFlowOf accepts no patterns.
func exactFlowOf(field string, id *pb.FlowId) (model.FlowID, error) {
	flow, err := flowOf(field, id)
	if err == nil && flow.IsPattern() {
		err = fmt.Errorf("%s: %s: both ports must be given", field, flow)
	}
	return flow, err
}
