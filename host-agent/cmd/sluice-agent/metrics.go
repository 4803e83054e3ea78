// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/agent"
	"github.com/sluice-sdn/sluice/host-agent/internal/metrics"
	"github.com/sluice-sdn/sluice/host-agent/internal/port"
)

const textfileSuffix = ".prom"

func metricsCommand() *cobra.Command {
	var which runningAgent
	var textfile string
	command := &cobra.Command{
		Use:   "metrics [--textfile FILE.prom] [--config FILE | --run-dir DIR]",
		Short: "Print the metrics of a running agent for Prometheus, or write them for node_exporter",
		Args:  noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if textfile != "" && !strings.HasSuffix(textfile, textfileSuffix) {
				return usageError{fmt.Errorf("--textfile %q: node_exporter reads only files whose name ends in %s", textfile, textfileSuffix)}
			}
			raw, err := which.status(command)
			if err != nil {
				return err
			}
			collector, err := collectorOf(raw)
			if err != nil {
				return err
			}
			if textfile != "" {
				return metrics.WriteFile(textfile, collector)
			}
			return metrics.Write(command.OutOrStdout(), collector)
		},
	}
	which.flags(command)
	command.Flags().StringVar(&textfile, "textfile", "", "write to this file, at once and whole, instead of printing")
	return command
}

// collectorOf collects an answer of either role.
func collectorOf(raw json.RawMessage) (prometheus.Collector, error) {
	var role struct{ Role string }
	if err := json.Unmarshal(raw, &role); err != nil {
		return nil, err
	}
	if role.Role == "port" {
		return metrics.Port{Read: decoded[port.Status](raw)}, nil
	}
	return metrics.Host{Read: decoded[agent.Status](raw)}, nil
}

func decoded[T any](raw json.RawMessage) func() (T, error) {
	return func() (T, error) {
		var status T
		err := json.Unmarshal(raw, &status)
		return status, err
	}
}
