// SPDX-License-Identifier: Apache-2.0

// Package config reads and checks the agent's YAML files. Nothing that it returns needs checking
// again; everything that it refuses names the file, the field, the value and the remedy.
package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/sluice-sdn/sluice/host-agent/internal/bpffs"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// FieldError is one thing wrong in a file.
type FieldError struct {
	File   string
	Field  string
	Value  string
	Remedy string
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("%s: %s: %q: %s", e.File, e.Field, e.Value, e.Remedy)
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

// load decodes a file strictly into value, which holds the defaults.
func load(file string, value any) error {
	reader, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	defer reader.Close()
	decoder := yaml.NewDecoder(reader)
	decoder.KnownFields(true)
	if err := decoder.Decode(value); err != nil {
		return fmt.Errorf("%s: %w", file, plain(err))
	}
	return nil
}

// plain turns the decoder's messages about Go types into messages about the file.
func plain(err error) error {
	var several *yaml.LoadErrors
	if !errors.As(err, &several) {
		return err
	}
	lines := make([]string, len(several.Errors))
	for i, one := range several.Errors {
		message := one.Message
		if name, _, unknown := strings.Cut(message, " not found in type "); unknown {
			message = fmt.Sprintf("field %q is unknown: remove it or correct its spelling", strings.TrimPrefix(name, "field "))
		} else if before, kind, wrong := strings.Cut(message, " into "); wrong {
			message = fmt.Sprintf("%s: write a value of type %s", before, kind)
		}
		lines[i] = fmt.Sprintf("line %d: %s", one.Mark.Line, message)
	}
	return errors.New(strings.Join(lines, "; "))
}
