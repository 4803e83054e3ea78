// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"io"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// Write writes what is collected now in the text format.
func Write(out io.Writer, collector prometheus.Collector) error {
	families, err := registry(collector).Gather()
	if err != nil {
		return err
	}
	for _, one := range families {
		if _, err := expfmt.MetricFamilyToText(out, one); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile replaces a file by what is collected now, as node_exporter's textfile collector needs it: whole, at once.
func WriteFile(path string, collector prometheus.Collector) error {
	return prometheus.WriteToTextfile(path, registry(collector))
}
