// SPDX-License-Identifier: Apache-2.0

// Package metrics has what `sluice-agent status` shows in the form that Prometheus collects: base units
// (bytes, seconds, ratios), one time series for each endpoint and congested port, none for a pair of
// addresses, of which there may be thousands.
package metrics
