// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"
	"math/bits"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// governMargin: a destination obeys another group only if that is lower by one part in so many,
	// lest it wander between two that are about equal. Packets overtake each other when it does.
	governMargin = 10
	// levelSteps: limits are compared by their mean over so many steps. The loop's own oscillation takes
	// about 20 and may be a quarter of a limit; a destination that follows it changes its class every
	// few periods, and each time packets leave by two classes at once: TCP was seen to run into its
	// retransmission timeout.
	levelSteps = 32
	// tieMargin: ports whose limits are no more than one part in so many above the lowest are taken
	// to mark as much as that one does.
	tieMargin = 4
	// jointSteps smooth the marks of equal ports: a root of what a few packets show is too high on
	// average.
	jointSteps = 4
	// knownSteps is over how many steps it is estimated with what probability a port marks, and how long
	// that holds. Above maxKnownMarks next to nothing is left to distinguish other marks by.
	knownSteps    = 16
	maxKnownMarks = 0.9
	// maxOwed are how many marks may be put off, either way.
	maxOwed = 16
	// elsewhereSteps is how many steps it takes to learn what goes through a port in other classes.
	elsewhereSteps = 8
	// keptPart: however much goes through a port in other classes, what obeys its group keeps one part in
	// so many of what its destinations would have by head.
	keptPart = 2
)

// govern finds the group that a destination obeys, below 0 if there is none.
func (e *Endpoint) govern(d *destination) int {
	lowest := -1
	for rest := d.groups; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros8(rest)
		if g := &e.groups[i]; !g.idle && (lowest < 0 || g.level < e.groups[lowest].level) {
			lowest = i
		}
	}
	if before := int(d.governor) - 1; lowest >= 0 && before >= 0 && before != lowest && d.groups&(1<<before) != 0 {
		present := &e.groups[before]
		if !present.idle && e.groups[lowest].level >= present.level-present.level/governMargin {
			lowest = before
		}
	}
	d.governor = uint8(lowest + 1)
	return lowest
}

// joint are reports of packets that several congested ports may have marked.
type joint struct {
	packets uint64
	// unmarked packets, as they would be if only the ports that are about to limit them had marked.
	unmarked float64
	ports    int // how many those are
	// smooth is the unmarked part where there are several.
	smooth float64
	// owed is what rounding to whole marks has left.
	owed float64
}

// report adds what a receiver reported of a destination that lies behind several ports. A port that
// marks with probability f leaves 1 - f of what crosses it unmarked, so where f is known, from
// destinations that obey that port, it is divided out.
func (e *Endpoint) report(d *destination, governor int, packets, cePackets uint64) {
	g := &e.groups[governor]
	g.joint.packets += packets
	unmarked := float64(packets - min(cePackets, packets))
	ports := 1
	for rest := d.groups &^ (1 << governor); rest != 0; rest &= rest - 1 {
		h := &e.groups[bits.TrailingZeros8(rest)]
		switch {
		case h.idle:
		case h.known.valid():
			unmarked /= 1 - math.Min(h.known.marks, maxKnownMarks)
		case h.level <= g.level+g.level/tieMargin:
			ports++
		}
	}
	g.joint.unmarked += unmarked
	g.joint.ports = max(g.joint.ports, ports)
}

// settle adds one port's part to its interval: n ports that are equally about to limit what crosses
// them, and mark with f each, leave (1 - f)^n unmarked.
func (j *joint) settle(interval *model.Interval) {
	if j.packets == 0 {
		return
	}
	packets := float64(j.packets)
	if j.ports == 1 {
		j.owed += packets - j.unmarked
		j.smooth = 0
	} else {
		part := math.Min(j.unmarked/packets, 1)
		if j.smooth == 0 {
			j.smooth = part
		}
		j.smooth += (part - j.smooth) / jointSteps
		j.owed += packets * (1 - math.Pow(j.smooth, 1/float64(j.ports)))
	}
	marks := math.Min(math.Max(math.Floor(j.owed), 0), packets)

	j.owed = clamp(j.owed-marks, -maxOwed, maxOwed)
	interval.Packets += j.packets
	interval.CEPackets += uint64(marks)
	j.packets, j.unmarked, j.ports = 0, 0, 0
}

// known is with what probability a port marks, as those that obey it alone show.
type known struct {
	marks float64
	age   int // steps since it was shown; 0: never
}

func (k *known) valid() bool { return k.age > 0 && k.age <= knownSteps }

// observe takes an interval's reports.
func (k *known) observe(packets, cePackets uint64) {
	if packets > 0 {
		part := math.Min(float64(cePackets)/float64(packets), 1)
		if k.valid() {
			part = k.marks + (part-k.marks)/knownSteps
		}
		*k = known{part, 1}
	} else if k.age > 0 {
		k.age++
	}
}

// elsewhere is what an endpoint sends through a port in the classes of other groups, by group.
type elsewhere struct {
	bytes         [MaxGroups]uint64 // since the last step
	bitsPerSecond float64
}

// measureElsewhere ends an interval of it. What was offered to a class is no more than the class lets
// through.
func (e *Endpoint) measureElsewhere(g *group, elapsedNanos int64) {
	if elapsedNanos <= 0 {
		return
	}
	sum := 0.0
	for i, bytes := range g.elsewhere.bytes {
		if bytes > 0 {
			sum += math.Min(float64(bytes)*8e9/float64(elapsedNanos), float64(e.groups[i].limit))
			g.elsewhere.bytes[i] = 0
		}
	}
	g.elsewhere.bitsPerSecond += (sum - g.elsewhere.bitsPerSecond) / elsewhereSteps
}

// left is what remains of a port's limit for those who obey it.
func (g *group) left() uint64 {
	if g.obeying == 0 || g.obeying == g.active {
		return g.limit
	}
	kept := float64(g.limit) * float64(g.obeying) / float64(g.active) / keptPart
	return uint64(math.Max(float64(g.limit)-g.elsewhere.bitsPerSecond, kept))
}
