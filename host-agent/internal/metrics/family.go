// SPDX-License-Identifier: Apache-2.0

package metrics

import "github.com/prometheus/client_golang/prometheus"

const bitsPerByte = 8

// family is a metric with its labels' names.
type family struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) family {
	return family{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue}
}

func counter(name, help string, labels ...string) family {
	return family{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue}
}

// samples go to one collection.
type samples chan<- prometheus.Metric

func (s samples) add(f family, value float64, labels ...string) {
	s <- prometheus.MustNewConstMetric(f.desc, f.kind, value, labels...)
}

func (s samples) count(f family, value uint64, labels ...string) { s.add(f, float64(value), labels...) }

// rate converts to bytes.
func (s samples) rate(f family, bitsPerSecond uint64, labels ...string) {
	s.add(f, float64(bitsPerSecond)/bitsPerByte, labels...)
}

func (s samples) is(f family, holds bool, labels ...string) {
	value := 0.0
	if holds {
		value = 1
	}
	s.add(f, value, labels...)
}
