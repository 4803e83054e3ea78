// SPDX-License-Identifier: Apache-2.0

// Package manpage writes manual pages for packages.
package manpage

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// WriteCommands writes a page for a command and each below it, with what exit codes mean. Pages of one version are the
// same whenever they are written.
func WriteCommands(command *cobra.Command, section, version, exitStatus, directory string) error {
	command.Root().DisableAutoGenTag = true
	for _, below := range command.Commands() {
		if below.IsAvailableCommand() {
			if err := WriteCommands(below, section, version, exitStatus, directory); err != nil {
				return err
			}
		}
	}
	var page bytes.Buffer
	header := &doc.GenManHeader{Section: section, Source: "Sluice " + version, Manual: "Sluice"}
	if err := doc.GenMan(command, header, &page); err != nil {
		return err
	}
	text, seeAlso, _ := strings.Cut(page.String(), ".SH SEE ALSO\n")
	if seeAlso != "" {
		seeAlso = ".SH SEE ALSO\n" + seeAlso
	}
	return Write(directory, strings.ReplaceAll(command.CommandPath(), " ", "-"), section, text+exitStatus+seeAlso)
}

// Write writes a page.
func Write(directory, name, section, text string) error {
	directory = filepath.Join(directory, "man"+section)
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, name+"."+section), []byte(text), 0o644)
}
