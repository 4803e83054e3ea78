// SPDX-License-Identifier: Apache-2.0

// Command sluice-agent keeps the endpoints of a host to their limits, or is the queue of a software
// switch port.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

// version is set at build time.
var version = "development"

// Exit codes.
const (
	exitFailure = 1
	exitUsage   = 2
	// exitNotEnforced: status has shown that something is not in force although it should be.
	exitNotEnforced = 3
)

var errNotEnforced = errors.New("not everything is enforced that should be")

// usageError is a mistake of the caller: wrong arguments, wrong configuration.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func main() {
	if err := rootCommand().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "sluice-agent:", err)
		var usage usageError
		switch {
		case errors.As(err, &usage):
			os.Exit(exitUsage)
		case errors.Is(err, errNotEnforced):
			os.Exit(exitNotEnforced)
		}
		os.Exit(exitFailure)
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "sluice-agent",
		Short:         "Enforces the rate limits of a host's endpoints",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			_ = command.Usage()
			return usageError{errors.New("a command is missing")}
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(runCommand(), portCommand(), statusCommand(), limitCommand(), flowCommand(),
		cleanupCommand(), configCommand(), controllersCommand(), metricsCommand(), probeCommand(), manCommand(), versionCommand())
	return root
}

func noArguments(_ *cobra.Command, arguments []string) error {
	if len(arguments) > 0 {
		return usageError{fmt.Errorf("argument %q is not understood", arguments[0])}
	}
	return nil
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			fmt.Fprintln(command.OutOrStdout(), version)
			return nil
		},
	}
}
