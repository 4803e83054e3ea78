// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
)

func configCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "config check FILE",
		Short: "Check a configuration without starting anything",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			_ = command.Usage()
			return usageError{fmt.Errorf("give config check and a file")}
		},
	}
	command.AddCommand(configCheckCommand())
	return command
}

func configCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Check a host's or a port's configuration; every field that is wrong is named",
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) != 1 {
				return usageError{fmt.Errorf("config check takes one file, not %d arguments", len(arguments))}
			}
			return nil
		},
		RunE: func(command *cobra.Command, arguments []string) error {
			directories, err := config.LoadDirectories(arguments[0])
			if err != nil {
				return usageError{err}
			}
			fmt.Fprintf(command.OutOrStdout(), "%s: a valid configuration of a %s\n", arguments[0], directories.Role)
			return nil
		},
	}
}
