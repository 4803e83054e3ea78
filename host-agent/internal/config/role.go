// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"os"

	"gopkg.in/yaml.v3"
)

// Directories are where an agent leaves traces, whichever its role.
type Directories struct {
	Role         string // "host" or "port"
	RunDirectory string
	BPFDirectory string
}

// LoadDirectories reads a configuration of either role, as `cleanup` needs it.
func LoadDirectories(file string) (Directories, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Directories{}, fmt.Errorf("configuration: %w", err)
	}
	var fields map[string]any
	if err := yaml.Unmarshal(text, &fields); err != nil {
		return Directories{}, fmt.Errorf("%s: %w", file, err)
	}
	if _, isPort := fields["port"]; isPort {
		p, err := LoadPort(file)
		return Directories{Role: "port", RunDirectory: p.RunDirectory, BPFDirectory: p.BPFDirectory}, err
	}
	h, err := LoadHost(file)
	return Directories{Role: "host", RunDirectory: h.RunDirectory, BPFDirectory: h.BPFDirectory}, err
}
