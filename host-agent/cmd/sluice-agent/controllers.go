// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
)

const (
	healthTimeout = 5 * time.Second
	serving       = "SERVING"
)

// controllerHealth is what a controller answers, or why it does not.
type controllerHealth struct {
	Controller string `json:"controller"`
	Health     string `json:"health"`
	Error      string `json:"error,omitempty"`
}

func controllersCommand() *cobra.Command {
	var file string
	var asJSON bool
	command := &cobra.Command{
		Use:   "controllers --config FILE [--json]",
		Short: "Query whether each controller of a configuration serves the agent link (gRPC health, mutual TLS)",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			configured, err := config.LoadCommon(file)
			if err != nil {
				return usageError{err}
			}
			answers, err := queryHealth(command.Context(), configured)
			if asJSON {
				text, encodeErr := json.Marshal(map[string]any{"controllers": answers})
				if encodeErr != nil {
					return encodeErr
				}
				return errors.Join(printIndented(command.OutOrStdout(), text), err)
			}
			for _, answer := range answers {
				fmt.Fprintf(command.OutOrStdout(), "%s  %s\n", answer.Controller, answer.Health)
			}
			return err
		},
	}
	configFlag(command, &file, "/etc/sluice/agent.yaml")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// queryHealth queries one after the other; the error joins those of all that do not serve.
func queryHealth(ctx context.Context, configured config.Common) ([]controllerHealth, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	var failures error
	answers := []controllerHealth{}
	for _, address := range configured.Controllers {
		within, cancel := context.WithTimeout(ctx, healthTimeout)
		health, err := link.Health(within, configured.TLS, address)
		cancel()
		if err == nil && health != serving {
			err = fmt.Errorf("controller %s does not serve the agent link", address)
		}
		answer := controllerHealth{Controller: address, Health: health}
		if err != nil {
			answer.Error = err.Error()
			if health == "" {
				answer.Health = "UNREACHABLE"
			}
		}
		answers = append(answers, answer)
		failures = errors.Join(failures, err)
	}
	return answers, failures
}
