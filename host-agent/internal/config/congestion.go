// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
)

const (
	// defaultQueueBoundMicros is a port at K2.
	defaultQueueBoundMicros = 500
	maxQueueBoundMicros     = 1_000_000
	maxChoices              = 1024
)

func (h *Host) checkCongestion(c *checker) {
	known := strings.Join(choice.Names, " or ")
	for i, name := range h.CongestionControls {
		field := fmt.Sprintf("congestionControls[%d]", i)
		c.require(slices.Contains(choice.Names, name), field, name, "must be "+known)
		c.require(!slices.Contains(h.CongestionControls[:i], name), field, name, "is named twice: remove one")
	}
	c.require(h.CongestionQueueBoundMicros >= 1 && h.CongestionQueueBoundMicros <= maxQueueBoundMicros,
		"congestionQueueBoundMicros", h.CongestionQueueBoundMicros,
		"must be between 1 and 1000000: what full queues add to a round trip")
	c.require(len(h.CongestionNamespaces) <= maxChoices, "congestionNamespaces", len(h.CongestionNamespaces),
		"must list at most 1024 namespaces")
	seen := map[string]bool{}
	for i, wanted := range h.CongestionNamespaces {
		field := fmt.Sprintf("congestionNamespaces[%d]", i)
		c.require(filepath.IsAbs(wanted.Namespace), field+".namespace", wanted.Namespace,
			"must be the absolute path of a network namespace, for example /run/netns/tenant1")
		c.require(!seen[wanted.Namespace], field+".namespace", wanted.Namespace, "is named twice: remove one")
		seen[wanted.Namespace] = true
		c.require(slices.Contains(h.CongestionControls, wanted.Control), field+".use", wanted.Control,
			"must be one of congestionControls: "+known)
	}
}

// CongestionQueueBound is what full queues add to a round trip.
func (h Host) CongestionQueueBound() time.Duration {
	return time.Duration(h.CongestionQueueBoundMicros) * time.Microsecond
}
