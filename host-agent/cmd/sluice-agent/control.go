// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/hooks"
	"github.com/sluice-sdn/sluice/host-agent/internal/probe"
	"github.com/sluice-sdn/sluice/host-agent/internal/status"
)

const (
	defaultRunDirectory = "/run/sluice"
	bitsPerMegabit      = 1e6
	maxLimitMbps        = 400_000
)

func runDirectoryFlag(command *cobra.Command, directory *string) {
	command.Flags().StringVar(directory, "run-dir", defaultRunDirectory, "run directory of the agent")
}

// runningAgent is which one a command is for.
type runningAgent struct{ directory, file string }

func (r *runningAgent) flags(command *cobra.Command) {
	runDirectoryFlag(command, &r.directory)
	configFlag(command, &r.file, "")
}

// status queries it.
func (r *runningAgent) status(command *cobra.Command) (json.RawMessage, error) {
	directory, err := r.runDirectory(command)
	if err != nil {
		return nil, err
	}
	return status.Query(footprint.SocketPath(directory), status.Request{Command: status.CommandStatus})
}

func (r *runningAgent) runDirectory(command *cobra.Command) (string, error) {
	if r.file == "" {
		return r.directory, nil
	}
	if command.Flags().Changed("run-dir") {
		return "", usageError{errors.New("--config and --run-dir both name an agent: give one of them")}
	}
	configured, err := config.LoadCommon(r.file)
	if err != nil {
		return "", usageError{err}
	}
	return configured.RunDirectory, nil
}

func statusCommand() *cobra.Command {
	var which runningAgent
	var asJSON bool
	command := &cobra.Command{
		Use:   "status [--json] [--config FILE | --run-dir DIR]",
		Short: "Show the state and counters of a running agent, and what is not enforced that should be",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			result, err := which.status(command)
			if err != nil {
				return err
			}
			show := printStatus
			if asJSON {
				show = printIndented
			}
			return errors.Join(show(command.OutOrStdout(), result), enforced(result))
		},
	}
	which.flags(command)
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// enforced is errNotEnforced where a status names what is not in force.
func enforced(raw json.RawMessage) error {
	var of struct{ NotEnforced []string }
	if err := json.Unmarshal(raw, &of); err != nil || len(of.NotEnforced) == 0 {
		return err
	}
	return errNotEnforced
}

func limitCommand() *cobra.Command {
	var directory string
	command := &cobra.Command{
		Use:   "limit INTERFACE MBPS|off [--run-dir DIR]",
		Short: "Override an endpoint's rate until off or the agent's end",
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) != 2 {
				return usageError{fmt.Errorf("limit takes an interface and a rate in Mbit/s (or off), not %d arguments",
					len(arguments))}
			}
			return nil
		},
		RunE: func(command *cobra.Command, arguments []string) error {
			rate, err := parseLimit(arguments[1])
			if err != nil {
				return usageError{err}
			}
			request := status.Request{Command: status.CommandLimit, Interface: arguments[0], RateBitsPerSecond: rate}
			if _, err := status.Query(footprint.SocketPath(directory), request); err != nil {
				return err
			}
			fmt.Fprintf(command.OutOrStdout(), "%s: %s\n", arguments[0], describeLimit(rate))
			return nil
		},
	}
	runDirectoryFlag(command, &directory)
	return command
}

func parseLimit(text string) (bitsPerSecond uint64, err error) {
	if text == "off" {
		return 0, nil
	}
	mbps, err := strconv.ParseFloat(text, 64)
	if err != nil || !(mbps >= 0.1 && mbps <= maxLimitMbps) {
		return 0, fmt.Errorf("rate %q: give a number of Mbit/s between 0.1 and %d, or off", text, maxLimitMbps)
	}
	return uint64(mbps * bitsPerMegabit), nil
}

func describeLimit(bitsPerSecond uint64) string {
	if bitsPerSecond == 0 {
		return "override lifted"
	}
	return fmt.Sprintf("limited to %g Mbit/s", float64(bitsPerSecond)/bitsPerMegabit)
}

func cleanupCommand() *cobra.Command {
	var file string
	command := &cobra.Command{
		Use:   "cleanup --config FILE",
		Short: "Remove what a killed agent (host or port) left behind, even if its configuration is broken or gone",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			var found bool
			err := footprint.OneAtATime(func() (err error) {
				found, err = cleanUp(file, command.ErrOrStderr())
				return err
			})
			if err != nil {
				return err
			}
			if found {
				fmt.Fprintln(command.OutOrStdout(), "removed")
			} else {
				fmt.Fprintln(command.OutOrStdout(), "nothing to remove: no agent has left anything with", file)
			}
			return nil
		},
	}
	configFlag(command, &file, "/etc/sluice/agent.yaml")
	return command
}

// cleanUp looks where the agent that started last with a file left its traces, and where the file says now.
func cleanUp(file string, notes io.Writer) (found bool, err error) {
	record, err := footprint.RecordOf(file)
	if err != nil {
		return false, err
	}
	if found, err = record.Undo(); err != nil {
		return found, err
	}
	directories, err := config.LoadCommon(file)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		fmt.Fprintf(notes, "sluice-agent: goes by the last start that this file was read for, not by the file: %v\n", err)
		return found, nil
	}
	foundToo, err := footprint.CleanUp(directories.RunDirectory, directories.BPFDirectory)
	return found || foundToo, err
}

// probed is what is on this machine.
type probed struct {
	Features []probe.Result `json:"features"`
	// Hooks are the interfaces that have programs or filters, an agent's too.
	Hooks []hooks.Occupied `json:"hooks"`
}

func probeCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "probe [--json]",
		Short: "Check which features of the kernel the agent can use, and which programs of others are at interfaces",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			// They cannot be listed where what the agent needs is missing: then that is what matters.
			occupied, unlisted := hooks.All()
			found := probed{probe.Run(), occupied}
			if asJSON {
				text, err := json.Marshal(found)
				if err != nil {
					return err
				}
				if err := printIndented(command.OutOrStdout(), text); err != nil {
					return err
				}
			} else {
				printProbe(command.OutOrStdout(), found)
			}
			if missing := probe.Missing(found.Features, "host"); missing != nil {
				return missing
			}
			return unlisted
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func printIndented(out io.Writer, raw json.RawMessage) error {
	var buffer bytes.Buffer
	if err := json.Indent(&buffer, raw, "", "  "); err != nil {
		return err
	}
	buffer.WriteByte('\n')
	_, err := buffer.WriteTo(out)
	return err
}
