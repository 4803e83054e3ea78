// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// A VM that sends to more destinations than its quota of the table allows is reported by name, to controllers too.
func TestAnEndpointThatExceedsItsPairQuotaIsReported(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	observer := h.runObserved()
	sender := testnet.NewSender(t, h.vm)
	most := int(h.status().Endpoints[0].Tables.SentPairs.Most)
	frame := outward(ownIP, peerIP, testnet.NotECT)
	for i := range most + 10 {
		frame[32], frame[33] = byte(i>>8), byte(i) // of the destination; nobody checks the sum
		sender.Send(frame)
	}
	observer.until("controllers receive it", func(e model.Event) bool {
		return e.Kind == model.ConditionsChanged && len(e.Conditions) == 1 && strings.Contains(e.Conditions[0], "vm0 exceeds its quota")
	})
	if use := h.status().Endpoints[0].Tables.SentPairs; use.Refused == 0 {
		t.Errorf("%+v, want refusals", use)
	}
}

func TestEndedConditionsAreReportedOnce(t *testing.T) {
	t.Parallel()
	var c conditions
	if changed := c.follow(1, []string{"vm9: too many"}, nil); !slices.Equal(changed, []string{"vm9: too many"}) {
		t.Errorf("%q, want the one there is", changed)
	}
	if changed := c.follow(2, []string{"vm9: too many"}, nil); changed != nil {
		t.Errorf("%q, want nothing: it is known", changed)
	}
	if changed := c.follow(time.Second.Nanoseconds(), nil, nil); changed == nil || len(changed) != 0 {
		t.Errorf("%q, want an empty list: it is over", changed)
	}
	many := make([]string, 2*maxConditions)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	if changed := c.follow(3, many, nil); len(changed) != maxConditions || changed[maxConditions-1] != "and 33 more" {
		t.Errorf("%d, the last %q", len(changed), changed[len(changed)-1])
	}
}
