// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"math"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
)

// division divides an endpoint's ceiling between what leaves by the uplink, which classes hold, and what
// goes to other endpoints of the host, which a bucket of the shim holds. Either has half of the ceiling for
// itself, and of the other's half what that leaves.
type division struct {
	uplink, neighbours flow
	nanos              int64 // of the last reading
	// bucket and window are what the shim has.
	bucket htb.Reserving
	window htb.Window
}

// flow is one of the two.
type flow struct {
	bytes         uint64  // until the last reading: carried to neighbours, offered to the uplink
	bitsPerSecond float64 // that it uses
	ceiling       uint64  // in force, bit/s; 0: none
}

const (
	// divisionPause is between two readings of what is sent.
	divisionPause = 20 * time.Millisecond
	// riseTime smooths what is sent as it rises. As it falls, fallTime: who pauses, as TCP does after a
	// loss, finds his part again.
	riseTime = 60 * time.Millisecond
	fallTime = 500 * time.Millisecond
	// leastUse: who uses less than one part in so many of the ceiling leaves all of it.
	leastUse = 50
	// A part may be too small by one in so many of the ceiling before it is changed, but too large only by
	// far less: the ceiling is exceeded then.
	raiseTolerance = 50
	lowerTolerance = 400
)

// observe follows what is sent. What is offered beyond the part in force is not carried.
func (f *flow) observe(bytes uint64, elapsed time.Duration) {
	now := float64(bytes-f.bytes) * 8 / elapsed.Seconds()
	f.bytes = bytes
	if f.ceiling > 0 {
		now = min(now, float64(f.ceiling))
	}
	smoothing := riseTime
	if now < f.bitsPerSecond {
		smoothing = fallTime
	}
	f.bitsPerSecond += (now - f.bitsPerSecond) * -math.Expm1(-elapsed.Seconds()/smoothing.Seconds())
}

// beside is the part of a ceiling that the other one leaves.
func (f *flow) beside(other *flow, ceiling uint64) uint64 {
	used := uint64(other.bitsPerSecond)
	if used*leastUse < ceiling {
		return ceiling
	}
	part := ceiling - min(used, ceiling/2)
	if part > f.ceiling && (part-f.ceiling)*raiseTolerance < ceiling ||
		part < f.ceiling && (f.ceiling-part)*lowerTolerance < ceiling && f.ceiling <= ceiling {
		return f.ceiling
	}
	return part
}

// divide reads what is sent when that is due. The parts are 0 where there is no ceiling.
func (d *division) divide(nowNanos int64, ceiling, uplinkBytes, neighbourBytes uint64) {
	if ceiling == 0 {
		*d = division{bucket: d.bucket, window: d.window}
		return
	}
	elapsed := time.Duration(nowNanos - d.nanos)
	switch {
	case d.nanos == 0:
		d.nanos, d.uplink.bytes, d.neighbours.bytes = nowNanos, uplinkBytes, neighbourBytes
	case elapsed >= divisionPause:
		d.nanos = nowNanos
		d.uplink.observe(uplinkBytes, elapsed)
		d.neighbours.observe(neighbourBytes, elapsed)
	}
	d.uplink.ceiling, d.neighbours.ceiling = d.uplink.beside(&d.neighbours, ceiling), d.neighbours.beside(&d.uplink, ceiling)
}

// divideCeiling has the ceiling hold for what leaves by the uplink and what stays on the host together.
func (e *Endpoint) divideCeiling(nowNanos int64) error {
	if e.classes.limiter.polices {
		return nil // its bucket holds both
	}
	d, shim := &e.division, e.table.host.Shim
	near, sent := shim.Neighbours(e.index), shim.Endpoint(e.index).SentBytes
	d.divide(nowNanos, e.allowance.total(), sent-near.Bytes, near.Bytes-near.DroppedBytes)
	e.limitNeighbours(nowNanos)
	if e.allowance.uplinkPart == d.uplink.ceiling {
		return nil
	}
	before := e.allowance.uplinkCeiling()
	e.allowance.uplinkPart = d.uplink.ceiling
	if e.allowance.uplinkCeiling() == before {
		return nil
	}
	if err := e.applyCeiling(); err != nil {
		return err
	}
	return e.table.uplink.Apply()
}

// limitNeighbours brings the shim up to what neighbours may be sent.
func (e *Endpoint) limitNeighbours(nowNanos int64) {
	d, shim, mtu := &e.division, e.table.host.Shim, e.classes.limiter.mtu
	var bucket htb.Reserving
	var sparse htb.Sparse
	var window htb.Window
	if limit := d.neighbours.ceiling; limit > 0 {
		bucket, sparse = htb.NeighboursOf(limit, mtu, e.classes.largestFrame), htb.SparseOf(limit, mtu, 0).Unqueued()
		window = htb.WindowOf(limit, shim.BulkFlowsToNeighbours(e.index, nowNanos), mtu, 0)
	}
	if bucket != d.bucket {
		d.bucket = bucket
		shim.LimitNeighbours(e.index, bucket, sparse)
	}
	if !d.window.Near(window) {
		d.window = window
		shim.SetNeighbourWindow(e.index, window)
	}
}
