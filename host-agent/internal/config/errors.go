// SPDX-License-Identifier: Apache-2.0

// Package config reads and checks the agent's YAML files. Nothing that it returns needs checking
// again; everything that it refuses names the file, the field, the value and the remedy.
package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/sluice-sdn/sluice/host-agent/internal/bpffs"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// FieldError is one thing wrong in a file.
type FieldError struct {
	File   string
	Line   int // 0: not known
	Field  string
	Value  string
	Remedy string
}

func (e *FieldError) Error() string {
	where := e.File
	if e.Line > 0 {
		where = fmt.Sprintf("%s: line %d", e.File, e.Line)
	}
	return fmt.Sprintf("%s: %s: %q: %s", where, e.Field, e.Value, e.Remedy)
}

// checker collects what is wrong in one file.
type checker struct {
	file   string
	errors []error
}

func (c *checker) refuse(field string, value any, remedy string) {
	c.errors = append(c.errors, &FieldError{
		File: c.file, Field: field, Value: fmt.Sprint(value), Remedy: remedy,
	})
}

func (c *checker) require(holds bool, field string, value any, remedy string) {
	if !holds {
		c.refuse(field, value, remedy)
	}
}

func (c *checker) result() error { return errors.Join(c.errors...) }

// maxInterfaceName is the kernel's IFNAMSIZ less the terminator.
const maxInterfaceName = 15

func (c *checker) interfaceName(field, name string) {
	if name == "" {
		c.refuse(field, name, "is missing: give the interface's name")
		return
	}
	// As the kernel's dev_valid_name.
	wellFormed := len(name) <= maxInterfaceName && name != "." && name != ".." &&
		!strings.ContainsAny(name, "/:\x00") && !strings.ContainsFunc(name, unicode.IsSpace)
	c.require(wellFormed, field, name, "is no interface name: at most 15 characters, no slash, colon or space")
}

// endpointName is an interface's, or that of a VLAN of one.
func (c *checker) endpointName(field, name string) {
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		if vlan, err := strconv.Atoi(name[dot+1:]); err == nil && vlan > 0 && vlan <= maxVLAN {
			name = name[:dot]
		}
	}
	c.interfaceName(field, name)
}

// reportedName is that of an interface which is reported to controllers.
func (c *checker) reportedName(field, name string) {
	c.interfaceName(field, name)
	c.require(model.IsVisible(name), field, name,
		"has characters that cannot be reported to controllers: rename the interface, visible ASCII characters alone")
}

func (c *checker) directory(field, path string) {
	c.require(strings.HasPrefix(path, "/"), field, path, "must be an absolute path")
}

// bpfDirectory is removed with all that is in it when the agent stops.
func (c *checker) bpfDirectory(path string) {
	c.directory("bpfDirectory", path)
	shared := map[string]bool{"/": true, "/sys": true, "/sys/fs": true, bpffs.Standard: true, "/run": true, "/tmp": true}
	c.require(!shared[filepath.Clean(path)], "bpfDirectory", path,
		"is shared with other programs: choose a directory for this agent alone, for example /sys/fs/bpf/sluice")
}
