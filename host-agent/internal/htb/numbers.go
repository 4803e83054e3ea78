// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"math"
	"time"
)

// The numbers of classes and buckets (docs/agent.md), for a limit r in bit/s and an MTU in bytes.

const (
	maxSuperPacketBytes = 64 << 10
	usualMTU            = 1500
	ethernetHeaderBytes = 14
	tcpipHeaderBytes    = 40
	// openBitsPerSecond is the rate of unlimited classes: beyond any device's.
	openBitsPerSecond = 10_000_000_000_000
	// openLimitPackets is a device's usual queue.
	openLimitPackets = 1000
	// ownBitsPerSecond is what a class owns that is to borrow: next to nothing, so that its ancestors'
	// ceilings hold in sum.
	ownBitsPerSecond = 8_000
	// levelBitsPerSecond is what a level of a port's queue owns, HTB's least.
	levelBitsPerSecond = bitsPerByte
	// leastCapMillis is what a full frame takes at the least cap of a background queue.
	leastCapMillis = 10
	// sparseFlowBytes in 100 ms make a flow bulk.
	sparseFlowBytes = 15_000
	// sparseShare of a limit is for sparse flows.
	sparseShare = 4 // one in
	// portSparseShare is what the sparse leaf of each congested port owns of its endpoint's rate. With the
	// default group's quarter they stay below that rate in sum.
	portSparseShare = 16 // one in
	// MaxQuantumBytes is the longest turn of a queue: HTB warns of longer ones.
	MaxQuantumBytes = 200_000
)

// SparseRate is what a group's sparse leaf owns of its endpoint's rate.
func SparseRate(endpointBitsPerSecond uint64, group int) uint64 {
	if group > 0 {
		return max(endpointBitsPerSecond/portSparseShare, ownBitsPerSecond)
	}
	return max(endpointBitsPerSecond/sparseShare, ownBitsPerSecond)
}

// FrameBytes is a full frame of that MTU.
func FrameBytes(mtu int) uint32 { return uint32(mtu + ethernetHeaderBytes) }

// bytesIn is what a rate moves in that many milliseconds.
func bytesIn(millis uint64, bitsPerSecond uint64) uint64 {
	return bitsPerSecond / bitsPerByte * millis / 1000
}

// SuperPacketBytes is gso_max = clamp(r x 1 ms, 2 MTU, 64 KB).
func SuperPacketBytes(bitsPerSecond uint64, mtu int) uint32 {
	return uint32(min(max(bytesIn(1, bitsPerSecond), 2*uint64(mtu)), maxSuperPacketBytes))
}

// LeafBytes is a bulk leaf's limit, max(4 gso_max, r x 10 ms). A VM whose offloads cannot be bounded
// sends larger super-packets than gso_max; a leaf smaller than two of them would drop every one.
func LeafBytes(bitsPerSecond uint64, mtu int, largestFrameBytes uint64) uint32 {
	limit := max(4*uint64(SuperPacketBytes(bitsPerSecond, mtu)), bytesIn(10, bitsPerSecond))
	return uint32(max(limit, 2*largestFrameBytes))
}

const (
	// firstWindowSegments a TCP flow begins with (RFC 6928).
	firstWindowSegments = 10
	// mostLeaf is the longest that packets stand in a leaf, and the window in which a flow's bytes are counted.
	// What waits longer is soon taken for lost: Linux's least timer is 200 ms.
	mostLeaf = 100 * time.Millisecond
)

// BulkLeafBytes is a bulk leaf's limit with so many flows: what LeafBytes gives, or room for the first window of each,
// up to 100 ms. What a leaf drops only the sender's timer repairs.
func BulkLeafBytes(bitsPerSecond uint64, mtu int, largestFrameBytes uint64, flows int) uint32 {
	windows := uint64(flows) * firstWindowSegments * uint64(FrameBytes(mtu))
	most := bytesIn(uint64(mostLeaf.Milliseconds()), bitsPerSecond)
	return max(LeafBytes(bitsPerSecond, mtu, largestFrameBytes), uint32(min(windows, most, math.MaxUint32)))
}

// SparseLeafBytes is a sparse leaf's: the same, and what is lent to flows there.
func SparseLeafBytes(bitsPerSecond uint64, mtu int, largestFrameBytes uint64) uint32 {
	return LeafBytes(bitsPerSecond, mtu, largestFrameBytes) + LeafBytes(bitsPerSecond, mtu, 0)
}

// BurstBytes is burst = cburst = max(2 MTU, r x 1 ms).
func BurstBytes(bitsPerSecond uint64, mtu int) uint32 {
	return uint32(max(2*uint64(FrameBytes(mtu)), bytesIn(1, bitsPerSecond)))
}

// leastCap of a background queue, in bit/s.
func leastCap(mtu int) uint64 { return uint64(FrameBytes(mtu)) * bitsPerByte * 1000 / leastCapMillis }

// policeDepth is how long a full bucket lasts (docs/agent.md: 25 ms of its limit).
const policeDepth = 25 * time.Millisecond

// Police are the numbers of a dropping token bucket; the zero value drops nothing.
type Police struct {
	BytesPerSecond uint64
	// Depth is how long a full bucket lasts at that rate.
	Depth time.Duration
}

// PoliceOf gives the bucket for a limit: 25 ms of it, or two of the largest frames seen, because a
// super-packet that is larger than the bucket could never pass.
func PoliceOf(bitsPerSecond uint64, mtu int, largestFrameBytes uint64) Police {
	rate := max(bitsPerSecond/bitsPerByte, 1)
	floor := 2 * max(largestFrameBytes, uint64(FrameBytes(mtu)))
	return Police{rate, max(policeDepth, time.Duration(floor*uint64(time.Second)/rate))}
}

// LeafBufferOf gives the bucket by which the shim reckons whether a datagram in fragments fits into the bulk
// leaf of a limit: three quarters of it, as the leaf empties in bursts and the kernel's timer is late.
func LeafBufferOf(bitsPerSecond uint64, mtu int, largestFrameBytes uint64) Police {
	rate := max(bitsPerSecond/bitsPerByte, 1)
	room := uint64(LeafBytes(bitsPerSecond, mtu, largestFrameBytes)) * 3 / 4
	return Police{BytesPerSecond: rate, Depth: time.Duration(room * uint64(time.Second) / rate)}
}

const (
	// priorityShare of a limit may leave by other levels than the last. Limits at a congested port add up to
	// its capacity, so half of it is left for the last level whatever VMs send.
	priorityShare = 2 // one in
	// priorityBurst is for short flows that begin at once.
	priorityBurst = 100 * time.Millisecond
)

// PriorityOf gives the bucket of what may leave by other levels than the last, for a limit. As with PoliceOf,
// the largest frames must fit.
func PriorityOf(bitsPerSecond uint64, mtu int, largestFrameBytes uint64) Police {
	rate := max(bitsPerSecond/bitsPerByte/priorityShare, 1)
	return Police{BytesPerSecond: rate, Depth: max(priorityBurst, framesTime(rate, mtu, largestFrameBytes))}
}

// Numbers of the bucket that holds what an endpoint sends to others of its host.
const (
	// neighbourBurst may be sent at once.
	neighbourBurst = 25 * time.Millisecond
	// neighbourReserve is far more than a class's windows have in transit: what repairs a loss finds tokens.
	neighbourReserve = 25 * time.Millisecond
	// neighbourCredit is longer than TCP's least timeout, 200 ms: whoever waits for it loses nothing.
	neighbourCredit = 300 * time.Millisecond
)

// Reserving are the numbers of a bucket with a reserve for sparse flows, where no queue is; the zero value
// limits nothing.
type Reserving struct {
	BytesPerSecond uint64
	// Burst is for all traffic, Reserve for sparse flows and what is sent again; Credit is what a pause
	// after a drop gathers, Burst included.
	Burst, Reserve, Credit time.Duration
}

// NeighboursOf gives the bucket for a limit. As with PoliceOf, the largest frames must fit.
func NeighboursOf(bitsPerSecond uint64, mtu int, largestFrameBytes uint64) Reserving {
	rate := max(bitsPerSecond/bitsPerByte, 1)
	least := framesTime(rate, mtu, largestFrameBytes)
	burst := max(neighbourBurst, least)
	return Reserving{
		BytesPerSecond: rate, Burst: burst, Reserve: max(neighbourReserve, least), Credit: max(neighbourCredit, burst),
	}
}

// framesTime is how long two of the largest frames take.
func framesTime(bytesPerSecond uint64, mtu int, largestFrameBytes uint64) time.Duration {
	frames := 2 * max(largestFrameBytes, uint64(FrameBytes(mtu)))
	return time.Duration(frames * uint64(time.Second) / bytesPerSecond)
}

const (
	// residualShare of its ceiling is what an endpoint may send as residual traffic.
	residualShare = 100 // one in
	// leastResidualBitsPerSecond is some 2000 ARP frames in a second, if that is not too much of the uplink.
	leastResidualBitsPerSecond = 1_000_000
	// mostUplinkShare of the uplink is the most that the least comes to: it is beside all shares.
	mostUplinkShare = 50 // one in
	// residualBurst is for what comes at once, as when a VM resolves all of its neighbours: 200 ARP frames
	// at the least rate. Sparse flows have as much for themselves.
	residualBurst = 100 * time.Millisecond
)

// ResidualRate is the residual traffic that an endpoint with a ceiling may send, in bit/s; without a known
// uplink the least is as if it was fast.
func ResidualRate(ceilingBitsPerSecond, uplinkBitsPerSecond uint64) uint64 {
	least := uint64(leastResidualBitsPerSecond)
	if uplinkBitsPerSecond > 0 {
		least = min(least, uplinkBitsPerSecond/mostUplinkShare)
	}
	return max(ceilingBitsPerSecond/residualShare, least)
}

// Residual are the numbers for that.
type Residual struct {
	Reserving
	Sparse Sparse
}

// ResidualOf gives them, for a limit in bit/s. As with PoliceOf, the largest frames must fit.
func ResidualOf(limit, largestFrameBytes uint64) Residual {
	rate := limit / bitsPerByte
	burst := max(residualBurst, framesTime(rate, usualMTU, largestFrameBytes))
	return Residual{
		Reserving: Reserving{BytesPerSecond: rate, Burst: burst, Reserve: burst, Credit: burst},
		Sparse:    SparseOf(limit, usualMTU, 0).Unqueued(),
	}
}

// Window bounds what a TCP flow of a class may have in transit; the zero value bounds nothing.
type Window struct {
	// A sparse flow may have what BytesPerSecond moves in its round trip and Standing, and a segment; a
	// bulk flow what BulkBytesPerSecond moves, its part of the class, and a segment.
	BytesPerSecond     uint64
	BulkBytesPerSecond uint64
	// SegmentBytes come to that, because a receiver acknowledges every second segment: the one before
	// is in transit until then. Two are granted in any case.
	SegmentBytes uint32
	// Standing is how long packets may stand in queues: the class's and the network's.
	Standing time.Duration
}

const (
	// ownStanding is what a flow may have in its class's queue, lest the class run empty while its flow
	// waits for acknowledgements.
	ownStanding = 3 * time.Millisecond
	// leastStanding is granted where nothing is known of the network's queues, or they are short: it
	// leaves them 2 ms.
	leastStanding = 5 * time.Millisecond
	// mostStanding: when the network's queues run empty all of it stands in the class's, which holds
	// 10 ms.
	mostStanding = 8 * time.Millisecond
)

// WindowOf gives the bounds for a limit that so many bulk flows share, where packets stand in the
// network's queues for queueing.
func WindowOf(bitsPerSecond uint64, bulkFlows int, mtu int, queueing time.Duration) Window {
	rate := max(bitsPerSecond/bitsPerByte, 1)
	return Window{
		BytesPerSecond: rate, BulkBytesPerSecond: max(rate/uint64(max(bulkFlows, 1)), 1),
		SegmentBytes: uint32(mtu - tcpipHeaderBytes),
		Standing:     min(max(ownStanding+queueing, leastStanding), mostStanding),
	}
}

// windowTolerance: a bound that moved with every limit would make each acknowledgement a window
// update.
const windowTolerance = 8

// Near reports whether changing from w to want is not worth it: no rate moves by more than an eighth.
func (w Window) Near(want Window) bool {
	near := func(have, want uint64) bool { return (max(have, want)-min(have, want))*windowTolerance <= have }
	return w.SegmentBytes == want.SegmentBytes && w.Standing == want.Standing &&
		near(w.BytesPerSecond, want.BytesPerSecond) && near(w.BulkBytesPerSecond, want.BulkBytesPerSecond)
}

// Sparse are the numbers by which the shim distinguishes sparse flows from bulk.
type Sparse struct {
	BytesPerSecond uint64 // all sparse flows together: a quarter of r
	DepthBytes     uint32 // what they may send at once
	FlowBytes      uint32 // a flow with more in 100 ms is bulk
	// LentBytes are lent to flows that have begun in the sparse leaf, where another one would take them past what
	// they have sent; 0: there is no leaf.
	LentBytes uint32
	// Leaf is how long packets stand in a leaf at most.
	Leaf time.Duration
}

// leastLeaf is more than a leaf of 10 ms and the kernel's timers take.
const leastLeaf = 20 * time.Millisecond

// SparseOf gives the numbers for a limit, beside so many bulk flows. A sparse flow's bound is half of what the sparse quarter carries
// in its 100 ms where that is less than 15 KB: otherwise a slow endpoint's only flow would never
// leave the quarter.
func SparseOf(bitsPerSecond uint64, mtu, bulkFlows int) Sparse {
	rate := max(bitsPerSecond/bitsPerByte, 1)
	quarter := bitsPerSecond / bitsPerByte / sparseShare
	depth := LeafBytes(bitsPerSecond, mtu, 0)
	longest := max(2*depth, BulkLeafBytes(bitsPerSecond, mtu, 0, bulkFlows)) // with what is lent
	full := time.Duration(uint64(longest) * uint64(time.Second) / rate)
	return Sparse{
		BytesPerSecond: quarter,
		DepthBytes:     depth,
		FlowBytes:      uint32(min(sparseFlowBytes, quarter/10/2)),
		LentBytes:      depth,
		Leaf:           min(max(full, leastLeaf), mostLeaf),
	}
}

// Unqueued are the numbers where what exceeds them is dropped instead of queued.
func (s Sparse) Unqueued() Sparse {
	s.LentBytes, s.Leaf = 0, leastLeaf
	return s
}
