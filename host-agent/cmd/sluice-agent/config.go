// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

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
		Short: "Check a host's or a port's configuration and the certificates that it names; every field that is wrong is named",
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) != 1 {
				return usageError{fmt.Errorf("config check takes one file, not %d arguments", len(arguments))}
			}
			return nil
		},
		RunE: func(command *cobra.Command, arguments []string) error {
			configured, err := config.LoadCommon(arguments[0])
			if err == nil {
				err = checkCertificates(arguments[0], configured)
			}
			if err != nil {
				return usageError{err}
			}
			fmt.Fprintf(command.OutOrStdout(), "%s: a valid configuration of a %s\n", arguments[0], configured.Role)
			return nil
		},
	}
}

// checkCertificates finds what would keep the agent off its controllers today.
func checkCertificates(file string, configured config.Common) error {
	if len(configured.Controllers) == 0 {
		return nil
	}
	read, err := configured.TLS.Read()
	if err == nil {
		err = errors.Join(read.CheckNames(configured.Host, configured.Switches...), read.CheckDates(time.Now()))
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s", file, strings.ReplaceAll(err.Error(), "\n", "\n"+file+": "))
}
