// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// HyGenICC is how marks get back from a receiving host to a sending one, and what else follows from them.
type HyGenICC struct {
	// Feedback is by what.
	Feedback string `yaml:"feedback"`
	// RefuseConnectionsAbove: while a greater part of what a VM sends to a destination is marked, it begins no TCP
	// connection to it. 0: it may at any time.
	RefuseConnectionsAbove float64 `yaml:"refuseConnectionsAbove"`
}

// Values of hygenicc.feedback.
const (
	// FeedbackBit: in the reserved bit of IPv4's header of whatever goes back, and the rest in messages.
	FeedbackBit = "bit"
	// FeedbackPacket: in messages alone.
	FeedbackPacket = "packet"
	// FeedbackLink: by the agent link, through controllers, and in messages where that is not possible.
	FeedbackLink = "link"
)

// LawKind is the law that decides about limits where no controller does.
func (h *Host) LawKind() model.LawKind {
	if h.Law == LawHyGenICC {
		return model.HyGenIcc
	}
	return model.TwoTimeScale
}

// ReflectsMarks reports whether marks go back in the reserved bit.
func (h *Host) ReflectsMarks() bool {
	return h.Law == LawHyGenICC && (h.HyGenICC == nil || h.HyGenICC.Feedback == FeedbackBit)
}

// RelaysMarks reports whether controllers pass marks on.
func (h *Host) RelaysMarks() bool {
	return h.Law == LawHyGenICC && h.HyGenICC != nil && h.HyGenICC.Feedback == FeedbackLink
}

// RefusesConnectionsAbove is the part of marked packets above which no connection begins; 0: none is refused.
func (h *Host) RefusesConnectionsAbove() float64 {
	if h.Law != LawHyGenICC || h.HyGenICC == nil {
		return 0
	}
	return h.HyGenICC.RefuseConnectionsAbove
}

func (h *Host) checkLaw(c *checker) {
	c.require(h.Law == LawSluice || h.Law == LawHyGenICC, "law", h.Law,
		"must be sluice (with controllers also what these choose) or hygenicc (without any)")
	c.require(h.Law != LawHyGenICC || h.RelaysMarks() || len(h.Controllers) == 0, "law", h.Law,
		"has no controller: remove the controllers, or the law, which controllers choose for their hosts; "+
			"or let controllers pass its marks on with hygenicc.feedback: link")
	if h.HyGenICC == nil {
		return
	}
	c.require(h.Law == LawHyGenICC, "hygenicc", h.HyGenICC.Feedback, "belongs to law: hygenicc: remove the section, or set law")
	if h.HyGenICC.Feedback == "" {
		h.HyGenICC.Feedback = FeedbackBit
	}
	c.require(slices.Contains([]string{FeedbackBit, FeedbackPacket, FeedbackLink}, h.HyGenICC.Feedback),
		"hygenicc.feedback", h.HyGenICC.Feedback,
		"must be bit (in the reserved bit of IPv4's header, the rest in messages), packet (in messages alone) "+
			"or link (by the agent link)")
	c.require(!h.RelaysMarks() || len(h.Controllers) > 0, "hygenicc.feedback", h.HyGenICC.Feedback,
		"needs a controller that passes marks on: list controllers, or set it to bit or packet")
	above := h.HyGenICC.RefuseConnectionsAbove
	c.require(above >= 0 && above < 1, "hygenicc.refuseConnectionsAbove", above,
		"must be 0 (no connection is refused) or a part of a pair's packets below 1, for example 0.5")
}
