// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/flowsocket"
	"github.com/sluice-sdn/sluice/host-agent/internal/flowsyntax"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
)

func flowCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "flow",
		Short: "Register flows with deadlines, through this host's agent",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			_ = command.Usage()
			return usageError{errors.New("flow: add, remove or list is missing")}
		},
	}
	command.AddCommand(flowAddCommand(), flowRemoveCommand(), flowListCommand())
	return command
}

// flowRequest is the flags of every flow command, and what runs it.
type flowRequest struct {
	directory string
	asJSON    bool
}

func (f *flowRequest) flags(command *cobra.Command) {
	runDirectoryFlag(command, &f.directory)
	command.Flags().BoolVar(&f.asJSON, "json", false, "print the answer as JSON, errors too")
}

// run prints the answer as JSON, or as print does.
func (f *flowRequest) run(out io.Writer, request flowsocket.Request, print func(json.RawMessage) error) error {
	answer, err := flowsocket.Query(footprint.FlowsSocketPath(f.directory), request)
	if f.asJSON && answer != nil {
		return errors.Join(printIndented(out, answer), err)
	}
	if err != nil {
		return err
	}
	return print(answer)
}

func exactly(count int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, arguments []string) error {
		if len(arguments) != count {
			return usageError{fmt.Errorf("%s expected, not %d arguments", what, len(arguments))}
		}
		return nil
	}
}

func flowAddCommand() *cobra.Command {
	var f flowRequest
	var force bool
	command := &cobra.Command{
		Use:   "add SOURCE[:PORT] DESTINATION[:PORT] SIZE DUE [--force] [--json] [--run-dir DIR]",
		Short: "Register a flow: so many bytes, due by then",
		Long: `Registers a flow of an endpoint of this host.

` + flowsyntax.Help + `

Fails (exit code 1), and registers nothing, if the deadline cannot be met; --force registers it all the same.`,
		Args: exactly(4, "SOURCE, DESTINATION, SIZE and DUE"),
		RunE: func(command *cobra.Command, arguments []string) error {
			registration, err := registrationOf(arguments)
			if err != nil {
				return usageError{err}
			}
			registration.Force = force
			out := command.OutOrStdout()
			return f.run(out, flowsocket.Request{Register: &registration}, func(answer json.RawMessage) error {
				var registered flowsocket.Registered
				if err := json.Unmarshal(answer, &registered); err != nil {
					return err
				}
				promise := "promised"
				if !registered.Promised {
					promise = "not promised"
				}
				fmt.Fprintf(out, "%d: %s, %s\n", registered.ID, registered.State, promise)
				return nil
			})
		},
	}
	f.flags(command)
	command.Flags().BoolVar(&force, "force", false, "register it also if the deadline cannot be met")
	return command
}

func registrationOf(arguments []string) (flowsocket.Registration, error) {
	var registration flowsocket.Registration
	var err error
	if registration.Source, registration.SourcePort, err = flowsyntax.ParseEnd("SOURCE", arguments[0]); err != nil {
		return registration, err
	}
	if registration.Destination, registration.DestinationPort, err = flowsyntax.ParseEnd("DESTINATION", arguments[1]); err != nil {
		return registration, err
	}
	if registration.SizeBytes, err = flowsyntax.ParseSize(arguments[2]); err != nil {
		return registration, err
	}
	due, err := flowsyntax.ParseDue(arguments[3])
	registration.DueInMillis, registration.Deadline = due.Millis, due.Deadline
	return registration, err
}

func flowRemoveCommand() *cobra.Command {
	var f flowRequest
	command := &cobra.Command{
		Use:   "remove ID [--json] [--run-dir DIR]",
		Short: "Withdraw a registration",
		Args:  exactly(1, "the ID of a registration"),
		RunE: func(command *cobra.Command, arguments []string) error {
			id, err := strconv.ParseUint(arguments[0], 10, 64)
			if err != nil {
				return usageError{fmt.Errorf("ID %q: give the number that add or list has shown", arguments[0])}
			}
			out := command.OutOrStdout()
			return f.run(out, flowsocket.Request{Remove: &id}, func(json.RawMessage) error {
				fmt.Fprintf(out, "%d: removed\n", id)
				return nil
			})
		},
	}
	f.flags(command)
	return command
}

func flowListCommand() *cobra.Command {
	var f flowRequest
	command := &cobra.Command{
		Use:   "list [--json] [--run-dir DIR]",
		Short: "Show the registrations of this host's endpoints",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			out := command.OutOrStdout()
			return f.run(out, flowsocket.Request{List: &struct{}{}}, func(answer json.RawMessage) error {
				var list flowsocket.Flows
				if err := json.Unmarshal(answer, &list); err != nil {
					return err
				}
				return printFlows(out, list.Flows)
			})
		},
	}
	f.flags(command)
	return command
}

func printFlows(out io.Writer, flows []flowsocket.Flow) error {
	if len(flows) == 0 {
		_, err := fmt.Fprintln(out, "no flows are registered")
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tFLOW\tBYTES\tLEFT\tDUE IN\tPROMISED\tSTATE")
	for _, f := range flows {
		due := time.Duration(f.DueInMillis * float64(time.Millisecond)).Round(100 * time.Microsecond)
		fmt.Fprintf(table, "%d\t%s > %s\t%d\t%d\t%v\t%v\t%s\n", f.ID, endText(f.Source, f.SourcePort),
			endText(f.Destination, f.DestinationPort), f.SizeBytes, f.RemainingBytes, due, f.Promised, f.State)
	}
	return table.Flush()
}

func endText(address string, port uint16) string {
	if port == 0 {
		return address
	}
	return net.JoinHostPort(address, strconv.Itoa(int(port)))
}
