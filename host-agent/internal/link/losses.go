// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// maxWaitingLosses bounds what a slow controller makes an agent remember; the oldest are dropped.
	maxWaitingLosses = 4096
	// maxLostBytes are more than any window.
	maxLostBytes = 1 << 30
)

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

func resendsOf(message *pb.Resends) ([]model.Resend, error) {
	resends := make([]model.Resend, 0, len(message.GetResends()))
	for i, r := range message.GetResends() {
		if err := name(fmt.Sprintf("resends[%d].port", i), r.GetPort()); err != nil {
			return nil, err
		}
		if r.GetKept() == 0 {
			return nil, fmt.Errorf("resends[%d].kept: 0 is no packet", i)
		}
		resends = append(resends, model.Resend{Port: model.Port(r.GetPort()), Kept: r.GetKept()})
	}
	return resends, nil
}

func lossReportOf(losses []model.Loss) *pb.LossReport {
	message := &pb.LossReport{}
	for _, l := range losses {
		message.Losses = append(message.Losses, &pb.Loss{
			Port: string(l.Port), Flow: flowIDOf(l.Flow), Sequence: l.Sequence, PayloadBytes: l.PayloadBytes, Kept: l.Kept,
		})
	}
	return message
}

// applyResends hands on those of ports for which the message is fresh.
func (b *book) applyResends(id string, n *node, at position, resends []model.Resend) {
	isFresh := map[model.Port]bool{}
	var kept []model.Resend
	for _, r := range resends {
		if _, judged := isFresh[r.Port]; !judged {
			isFresh[r.Port] = b.fresh(n, duty{resendsBody, r.Port}, at)
		}
		if isFresh[r.Port] {
			kept = append(kept, r)
		}
	}
	if len(kept) > 0 {
		b.decisions.ApplyResends(id, kept)
	}
}

// reportLosses adds to what waits; it is for who listens now.
func (o *outbox) reportLosses(losses []model.Loss) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open {
		return
	}
	o.losses = append(o.losses, losses...)
	if surplus := len(o.losses) - maxWaitingLosses; surplus > 0 {
		o.losses = append(o.losses[:0], o.losses[surplus:]...)
		o.droppedSamples += uint64(surplus)
	}
	o.signal()
}

// takeLosses empties the outbox of losses.
func (o *outbox) takeLosses() []model.Loss {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.losses
	o.losses = nil
	return taken
}

// ReportLosses tells the controllers of packets that a queue had no room for. It never blocks.
func (c *Client) ReportLosses(losses []model.Loss) {
	for _, to := range c.controllers {
		to.outbox.reportLosses(losses)
	}
}
