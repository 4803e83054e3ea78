// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"sync/atomic"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// usualSegmentBytes is USUAL_SEGMENT_BYTES of bpf/connection.h.
const usualSegmentBytes = 1460

// SetReceiverWindows has windows that endpoints offer fitted to an uplink of such a capacity; 0 leaves them alone.
func (s *Shim) SetReceiverWindows(capacityBitsPerSecond uint64) {
	state := s.state.At(0)
	threshold := uint64(model.ThresholdPackets(capacityBitsPerSecond)) * usualSegmentBytes
	atomic.StoreUint64(&state.OfferThresholdBytes, threshold)
	atomic.StoreUint64(&state.OfferRate, windowRate(capacityBitsPerSecond/8))
}
