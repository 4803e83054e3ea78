// SPDX-License-Identifier: Apache-2.0

package config

// Directories are where an agent leaves traces, whichever its role.
type Directories struct {
	Role         string // "host" or "port"
	RunDirectory string
	BPFDirectory string
}

// Controllers are the peers of an agent of either role, and its certificates.
type Controllers struct {
	Addresses []string
	TLS       TLS
}

// LoadDirectories reads a configuration of either role, as `cleanup` needs it.
func LoadDirectories(file string) (Directories, error) {
	host, port, err := loadEither(file)
	if port != nil {
		return Directories{Role: "port", RunDirectory: port.RunDirectory, BPFDirectory: port.BPFDirectory}, err
	}
	return Directories{Role: "host", RunDirectory: host.RunDirectory, BPFDirectory: host.BPFDirectory}, err
}

// LoadControllers reads a configuration of either role, as `controllers` needs it.
func LoadControllers(file string) (Controllers, error) {
	host, port, err := loadEither(file)
	if port != nil {
		return Controllers{Addresses: port.Controllers, TLS: port.TLS}, err
	}
	return Controllers{Addresses: host.Controllers, TLS: host.TLS}, err
}

// loadEither reads a host's configuration, or a port's; port is nil for a host's.
func loadEither(file string) (host Host, port *Port, err error) {
	text, err := read(file)
	if err != nil {
		return Host{}, nil, err
	}
	if hasKey(text, "port") {
		p, err := parsePort(file, text)
		return Host{}, &p, err
	}
	host, err = parseHost(file, text)
	return host, nil, err
}
