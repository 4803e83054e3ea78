// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// TCPHints is whose TCP takes the hints of controllers' policies.
type TCPHints struct {
	// Host: that of the agent's own network namespace, by its routes.
	Host bool `yaml:"host"`
	// Namespaces are further ones, by names as `ip netns` has them or by paths.
	Namespaces []string `yaml:"namespaces"`
	// Cgroups take them by a program at each, absolute or below the mounted cgroup2 file system.
	Cgroups []string `yaml:"cgroups"`
}

const (
	maxHintNamespaces = 256
	maxHintCgroups    = 256
	// namedNamespaces is where `ip netns` keeps them.
	namedNamespaces = "/run/netns"
)

func (t *TCPHints) check(c *checker) {
	c.require(t.Host || len(t.Namespaces)+len(t.Cgroups) > 0, "tcpHints", "",
		"selects no TCP for hints: set host: true, list namespaces or cgroups, or remove the section")
	c.require(len(t.Namespaces) <= maxHintNamespaces, "tcpHints.namespaces", len(t.Namespaces), "must list at most 256 namespaces")
	for i, namespace := range t.Namespaces {
		field := fmt.Sprintf("tcpHints.namespaces[%d]", i)
		wellFormed := filepath.IsAbs(namespace) || namespace != "" && namespace != "." && namespace != ".." && !strings.Contains(namespace, "/")
		c.require(wellFormed, field, namespace,
			"must be a name as ip netns lists it, or an absolute path, for example /proc/4711/ns/net")
		c.require(!slices.Contains(t.Namespaces[:i], namespace), field, namespace, "is named twice: remove one")
	}
	c.require(len(t.Cgroups) <= maxHintCgroups, "tcpHints.cgroups", len(t.Cgroups), "must list at most 256 cgroups")
	for i, cgroup := range t.Cgroups {
		field := fmt.Sprintf("tcpHints.cgroups[%d]", i)
		checkCgroup(c, field, cgroup)
		c.require(!slices.Contains(t.Cgroups[:i], cgroup), field, cgroup, "is named twice: remove one")
	}
}

func checkCgroup(c *checker, field, cgroup string) {
	c.require(cgroup != "" && !slices.Contains(strings.Split(cgroup, "/"), ".."), field, cgroup,
		"must be a path, absolute or below the mounted cgroup2 file system, for example system.slice/nginx.service")
}

// NamespacePaths are the paths of the further namespaces.
func (t *TCPHints) NamespacePaths() []string {
	paths := make([]string, len(t.Namespaces))
	for i, namespace := range t.Namespaces {
		paths[i] = namespace
		if !filepath.IsAbs(namespace) {
			paths[i] = filepath.Join(namedNamespaces, namespace)
		}
	}
	return paths
}
