// SPDX-License-Identifier: Apache-2.0

package choice

import "net/netip"

// Route is what connections towards some destinations of a network namespace shall use that choose none themselves.
type Route struct {
	// Namespace is a path, as below /run/netns; empty: the agent's own.
	Namespace string `yaml:"namespace" json:"namespace,omitempty"`
	// Destinations are masked; empty: all.
	Destinations []netip.Prefix `yaml:"destinations" json:"destinations,omitempty"`
	Control      string         `yaml:"use" json:"use"`
}

// Cgroup is what connections of a cgroup shall use that choose none themselves.
type Cgroup struct {
	// Path is absolute, or below the mounted cgroup2 file system.
	Path    string `yaml:"cgroup" json:"cgroup"`
	Control string `yaml:"use" json:"use"`
}
