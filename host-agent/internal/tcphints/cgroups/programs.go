// SPDX-License-Identifier: Apache-2.0

package cgroups

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
	"github.com/sluice-sdn/sluice/host-agent/internal/mapped"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/hintset"
)

const (
	// leaseLength is how long hints hold without a renewal, as after a kill.
	leaseLength = 5 * time.Second
	// leastTicks is the shortest RTO_min that the kernel takes of a socket (TCP_BPF_RTO_MIN).
	leastTicks = 2
	// MostRtoMinNanos is the longest one.
	MostRtoMinNanos = 200_000_000
	// MostPacingBitsPerSecond is the highest rate that the kernel does not take for none.
	MostPacingBitsPerSecond = (math.MaxUint32 - 1) * bitsPerByte

	nanosPerMicro = 1000
	bitsPerByte   = 8
	// mappedBits are those before an IPv4 address that is mapped.
	mappedBits = 96
)

// needECN are congestion controls whose connections have to negotiate ECN at their beginning.
var needECN = map[string]bool{"dctcp": true, choice.DCTCP: true, choice.DADCTCP: true}

// programs are in the kernel, with the hints that they give.
type programs struct {
	collection *ebpf.Collection
	hints      *ebpf.Map
	lease      *mapped.Array[bpfLease]
	held       map[bpfDestination]bpfHint
	given      *hintset.Set // what held has
	set        uint64
}

func load(tick time.Duration) (*programs, error) {
	spec, err := loadBpf()
	if err != nil {
		return nil, fmt.Errorf("BPF programs: %w", err)
	}
	if err := spec.Variables[bpfVarTickMicros].Set(uint32(tick.Microseconds())); err != nil {
		return nil, fmt.Errorf("BPF programs: %w", err)
	}
	collection, err := ebpf.NewCollection(spec)
	if err != nil {
		return nil, fmt.Errorf("load the program for cgroups' hints: %w", err)
	}
	p := &programs{collection: collection, hints: collection.Maps[bpfMapHints], held: map[bpfDestination]bpfHint{}}
	if p.lease, err = mapped.Open[bpfLease](collection.Maps[bpfMapLeases]); err != nil {
		collection.Close()
		return nil, err
	}
	return p, nil
}

func (p *programs) close() error {
	err := p.lease.Close()
	p.collection.Close()
	return err
}

// give has the hints of a set hold, those and no others. Connections follow once all are there.
func (p *programs) give(set *hintset.Set, tick time.Duration) error {
	if p.given == set {
		return nil
	}
	wanted := map[bpfDestination]bpfHint{}
	for _, prefix := range set.Prefixes() {
		wanted[destinationOf(prefix)] = hintOf(set.At(prefix).Parameters, tick)
	}
	if maps.Equal(wanted, p.held) {
		p.given = set
		return nil
	}
	var failures []error
	for at, hint := range wanted {
		if p.held[at] != hint {
			failures = append(failures, p.hints.Put(at, hint))
		}
	}
	for at := range p.held {
		if _, isWanted := wanted[at]; !isWanted {
			failures = append(failures, p.hints.Delete(at))
		}
	}
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("hints for cgroups: %w", err)
	}
	p.held, p.given = wanted, set
	p.set++
	atomic.StoreUint64(&p.lease.At(0).Set, p.set)
	return nil
}

// renew has the hints hold for another lease.
func (p *programs) renew() error {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return fmt.Errorf("hints for cgroups: %w", err)
	}
	atomic.StoreUint64(&p.lease.At(0).EndsNanos, uint64(now.Nano())+uint64(leaseLength))
	return nil
}

// destinationOf is a prefix as the program has it; IPv4 is mapped.
func destinationOf(prefix netip.Prefix) bpfDestination {
	at := bpfDestination{Bits: uint32(prefix.Bits()), Address: prefix.Addr().As16()}
	if prefix.Addr().Is4() {
		at.Bits += mappedBits
	}
	return at
}

// hintOf is what holds as the program has it.
func hintOf(parameters hintset.Parameters, tick time.Duration) bpfHint {
	hint := bpfHint{
		InitialWindow:        parameters.InitialWindowSegments,
		RtoMinMicros:         uint32(RtoMinNanos(parameters.RtoMinNanos, tick) / nanosPerMicro),
		PacingBytesPerSecond: uint32(min(parameters.PacingBitsPerSecond, MostPacingBitsPerSecond) / bitsPerByte),
	}
	if needECN[parameters.CongestionControl] {
		hint.NeedsEcn = 1
	}
	for i := range min(len(parameters.CongestionControl), len(hint.Control)-1) {
		hint.Control[i] = int8(parameters.CongestionControl[i])
	}
	return hint
}

// RtoMinNanos is a hint's RTO_min as sockets have it: in ticks of the kernel's timer, two at least; 0 for 0.
func RtoMinNanos(nanos uint64, tick time.Duration) uint64 {
	if nanos == 0 {
		return 0
	}
	period := uint64(tick)
	ticks := max((nanos+period-1)/period, leastTicks)
	return min(ticks*period, MostRtoMinNanos)
}
