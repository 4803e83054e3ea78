// SPDX-License-Identifier: Apache-2.0

package config

import "github.com/sluice-sdn/sluice/host-agent/internal/model"

// HyGenICC is how marks get back from a receiving host to a sending one.
type HyGenICC struct {
	// Feedback is by what.
	Feedback string `yaml:"feedback"`
}

// Values of hygenicc.feedback.
const (
	// FeedbackBit: in the reserved bit of IPv4's header of whatever goes back, and the rest in messages.
	FeedbackBit = "bit"
	// FeedbackPacket: in messages alone.
	FeedbackPacket = "packet"
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
	return h.Law == LawHyGenICC && (h.HyGenICC == nil || h.HyGenICC.Feedback != FeedbackPacket)
}

func (h *Host) checkLaw(c *checker) {
	c.require(h.Law == LawSluice || h.Law == LawHyGenICC, "law", h.Law,
		"must be sluice (with controllers also what these choose) or hygenicc (without any)")
	c.require(h.Law != LawHyGenICC || len(h.Controllers) == 0, "law", h.Law,
		"has no controller: remove the controllers, or the law, which controllers choose for their hosts")
	if h.HyGenICC == nil {
		return
	}
	c.require(h.Law == LawHyGenICC, "hygenicc", h.HyGenICC.Feedback, "belongs to law: hygenicc: remove the section, or set law")
	if h.HyGenICC.Feedback == "" {
		h.HyGenICC.Feedback = FeedbackBit
	}
	c.require(h.HyGenICC.Feedback == FeedbackBit || h.HyGenICC.Feedback == FeedbackPacket,
		"hygenicc.feedback", h.HyGenICC.Feedback,
		"must be bit (in the reserved bit of IPv4's header, the rest in messages) or packet (in messages alone)")
}
