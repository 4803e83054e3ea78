// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"math"
	"sync/atomic"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// Scales of bpf/police.h.
const (
	ticksPerNano   = 16
	byteTicksShift = 20
)

// PoliceEndpoint makes what an endpoint sends drop where it finds no token; the zero value ends it.
// A change holds from the next packet on.
func (s *Shim) PoliceEndpoint(endpoint int, police htb.Police) {
	setBucket(&s.endpoints.At(endpoint).Bucket, police)
}

// PoliceGroup is PoliceEndpoint for what goes to one group.
func (s *Shim) PoliceGroup(endpoint, group int, police htb.Police) {
	setBucket(&s.groups.At(endpoint*groupSlots+group).Bucket, police)
}

// SetLeafBuffer sets the room in a group's bulk leaf for datagrams in fragments; the zero value has them be
// dropped one by one.
func (s *Shim) SetLeafBuffer(endpoint, group int, room htb.Police) {
	setBucket(&s.groups.At(endpoint*groupSlots+group).Queue, room)
}

// fragmentedNanos is FRAGMENTED_NANOS of bpf/fragment.h.
const fragmentedNanos = 1_000_000_000

// SendsFragments reports whether datagrams in fragments are offered to a group: whether programs reckon with
// its leaf's length.
func (s *Shim) SendsFragments(endpoint, group int, nowNanos int64) bool {
	last := int64(atomic.LoadUint64(&s.groups.At(endpoint*groupSlots + group).FragmentedNanos))
	return nowNanos-last < fragmentedNanos
}

// SetLeafBacklog puts right what a group's bulk leaf is reckoned to hold.
func (s *Shim) SetLeafBacklog(endpoint, group int, bytes uint64, nowNanos int64) {
	queue := &s.groups.At(endpoint*groupSlots + group).Queue
	ticks := float64(bytes) * float64(atomic.LoadUint64(&queue.ByteTicks)) / (1 << byteTicksShift)
	atomic.StoreUint64(&queue.FullTicks, uint64(nowNanos)*ticksPerNano+uint64(ticks))
}

func setBucket(bucket *bpfBucket, police htb.Police) {
	atomic.StoreUint64(&bucket.DepthTicks, uint64(police.Depth.Nanoseconds())*ticksPerNano)
	atomic.StoreUint64(&bucket.ByteTicks, byteTicks(police.BytesPerSecond))
}

// byteTicks is how long a byte takes at a rate, in 2^-20 ticks; 0 for none.
func byteTicks(bytesPerSecond uint64) uint64 {
	if bytesPerSecond == 0 {
		return 0
	}
	perByte := 1e9 * ticksPerNano * (1 << byteTicksShift) / float64(bytesPerSecond)
	return max(uint64(math.Round(perByte)), 1)
}

// PolicedPackets are how many packets found an endpoint's own bucket empty, since it was added.
func (s *Shim) PolicedPackets(endpoint int) uint64 {
	return atomic.LoadUint64(&s.endpoints.At(endpoint).Bucket.DroppedPackets)
}

// PolicedGroupPackets are how many found the bucket of a group's slot empty, whatever port it was
// for.
func (s *Shim) PolicedGroupPackets(endpoint, group int) uint64 {
	return atomic.LoadUint64(&s.groups.At(endpoint*groupSlots + group).Bucket.DroppedPackets)
}
