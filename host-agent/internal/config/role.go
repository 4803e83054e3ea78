// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"

	"github.com/sluice-sdn/sluice/host-agent/internal/certificates"
)

// Common is what agents of either role have.
type Common struct {
	Role string // "host" or "port"
	// RunDirectory and BPFDirectory are where an agent leaves traces.
	RunDirectory string
	BPFDirectory string
	// Host is the agent's name on the link, Switches are those whose queues it keeps.
	Host        string
	Switches    []string
	Controllers []string
	TLS         certificates.Files
}

// LoadCommon reads a configuration of either role.
func LoadCommon(file string) (Common, error) {
	text, err := read(file)
	if err != nil {
		return Common{}, err
	}
	if hasKey(text, "port") {
		p, err := parsePort(file, text)
		datapath, _, _ := strings.Cut(p.Port, "/")
		return Common{
			Role: "port", RunDirectory: p.RunDirectory, BPFDirectory: p.BPFDirectory,
			Host: p.Host, Switches: []string{datapath}, Controllers: p.Controllers, TLS: p.TLS,
		}, err
	}
	h, err := parseHost(file, text)
	return Common{
		Role: "host", RunDirectory: h.RunDirectory, BPFDirectory: h.BPFDirectory,
		Host: h.Host, Controllers: h.Controllers, TLS: h.TLS,
	}, err
}
