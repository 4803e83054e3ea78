// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

const manSection = "8"

// manCommand writes a manual page for each command, for packages.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIRECTORY",
		Short:  "Write the manual pages of all commands into a directory that exists",
		Hidden: true,
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) != 1 {
				return usageError{fmt.Errorf("man takes one directory, not %d arguments", len(arguments))}
			}
			return nil
		},
		RunE: func(command *cobra.Command, arguments []string) error {
			root := command.Root()
			root.DisableAutoGenTag = true // pages of one version are the same whenever they are written
			header := &doc.GenManHeader{Section: manSection, Source: "Sluice " + version, Manual: "Sluice"}
			return doc.GenManTree(root, header, arguments[0])
		},
	}
}
