// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"net/netip"
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
	h.checkCongestionRoutes(c, known)
	h.checkCongestionCgroups(c, known)
}

func (h *Host) checkCongestionCgroups(c *checker, known string) {
	c.require(len(h.CongestionCgroups) <= maxHintCgroups, "congestionCgroups", len(h.CongestionCgroups), "must list at most 256 cgroups")
	seen := map[string]bool{}
	for i, wanted := range h.CongestionCgroups {
		field := fmt.Sprintf("congestionCgroups[%d]", i)
		checkCgroup(c, field+".cgroup", wanted.Path)
		c.require(!seen[wanted.Path], field+".cgroup", wanted.Path, "is named twice: remove one")
		c.require(h.TCPHints == nil || !slices.Contains(h.TCPHints.Cgroups, wanted.Path), field+".cgroup", wanted.Path,
			"takes the hints of controllers (tcpHints.cgroups): choose by their policy, or leave it out there")
		seen[wanted.Path] = true
		c.require(slices.Contains(h.CongestionControls, wanted.Control), field+".use", wanted.Control,
			"must be one of congestionControls: "+known)
	}
}

func (h *Host) checkCongestionRoutes(c *checker, known string) {
	c.require(len(h.CongestionRoutes) <= maxChoices, "congestionRoutes", len(h.CongestionRoutes), "must list at most 1024 choices")
	seen := map[string]bool{}
	for i, wanted := range h.CongestionRoutes {
		field := fmt.Sprintf("congestionRoutes[%d]", i)
		c.require(wanted.Namespace == "" || filepath.IsAbs(wanted.Namespace), field+".namespace", wanted.Namespace,
			"must be the absolute path of a network namespace, for example /run/netns/tenant1, or be left out for the host's own")
		c.require(!h.takesHints(wanted.Namespace), field+".namespace", wanted.Namespace,
			"takes the hints of controllers (tcpHints), which are routes' too: choose by their policy, or leave it out there")
		c.require(slices.Contains(h.CongestionControls, wanted.Control), field+".use", wanted.Control,
			"must be one of congestionControls: "+known)
		destinations := wanted.Destinations
		if len(destinations) == 0 {
			destinations = []netip.Prefix{netip.PrefixFrom(netip.IPv4Unspecified(), 0)}
		}
		for j, prefix := range destinations {
			name := fmt.Sprintf("%s.destinations[%d]", field, j)
			c.require(prefix.Addr().Is4(), name, prefix, "must be IPv4; for IPv6 leave destinations out, or choose for the namespace or a cgroup")
			c.require(prefix == prefix.Masked(), name, prefix, fmt.Sprintf("must be a network, such as %s", prefix.Masked()))
			key := wanted.Namespace + " " + prefix.String()
			c.require(!seen[key], name, prefix, "is named twice for one namespace: remove one")
			seen[key] = true
		}
	}
}

// takesHints reports whether the routes of a network namespace (empty: the host's own) are controllers'.
func (h *Host) takesHints(namespace string) bool {
	if h.TCPHints == nil {
		return false
	}
	if namespace == "" {
		return h.TCPHints.Host
	}
	return slices.Contains(h.TCPHints.NamespacePaths(), namespace)
}

// CongestionQueueBound is what full queues add to a round trip.
func (h Host) CongestionQueueBound() time.Duration {
	return time.Duration(h.CongestionQueueBoundMicros) * time.Microsecond
}
