// SPDX-License-Identifier: Apache-2.0

package link

import "fmt"

const (
	// maxThresholds is more than any agent has levels: one with others keeps its own.
	maxThresholds     = 15
	maxThresholdBytes = 1_000_000_000_000
)

// thresholdsOf reads the sizes at which flows leave a level.
func thresholdsOf(bytes []uint64) ([]uint64, error) {
	if len(bytes) > maxThresholds {
		return nil, fmt.Errorf("level_threshold_bytes: %d thresholds, at most %d", len(bytes), maxThresholds)
	}
	for i, threshold := range bytes {
		if threshold < 1 || threshold > maxThresholdBytes {
			return nil, fmt.Errorf("level_threshold_bytes[%d]: %d must be from 1 to %d", i, threshold, uint64(maxThresholdBytes))
		}
		if i > 0 && threshold <= bytes[i-1] {
			return nil, fmt.Errorf("level_threshold_bytes[%d]: %d must be more than the one before it, %d", i, threshold, bytes[i-1])
		}
	}
	return bytes, nil
}
