// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math"
	"math/bits"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// governMargin: a destination obeys another group only if that is lower by one part in so many,
	// lest it wander between two that are about equal. Packets overtake each other when it does. Limits
	// no farther apart than that are about equal.
	governMargin = 10
	// referenceMargin: references that differ by less than one part in so many are not worth a change.
	referenceMargin = 100
	// levelSteps: limits are compared by their mean over so many steps. The loop's own oscillation takes
	// about 20 and may be a quarter of a limit; a destination that follows it changes its class every
	// few periods, and each time packets leave by two classes at once: TCP was seen to run into its
	// retransmission timeout.
	levelSteps = 32
	// tieMargin: ports whose limits are no more than one part in so many above the lowest are taken
	// to mark as much as that one does.
	tieMargin = 4
	// sharedSteps is over how many steps the marks of packets that crossed several ports are averaged:
	// several of the loop's swings.
	sharedSteps = 32
	// minOwnPart: a destination obeys the lowest port, which marks: however much others seem to mark, no
	// less than this part of the marks is its. Means lag when a queue grows.
	minOwnPart = 0.3
	// longSharedSteps: what the controller publishes of a port's marks is a mean over about 100 ms, and a
	// part of what was reported in about as long; of fewer steps it would be a part of a single swing.
	longSharedSteps = 256
	// refreshedNanos: shares are refreshed every 100 ms. Three were missed, and what was measured may
	// have changed.
	refreshedNanos int64 = 300_000_000
	// estimateSteps is over how many steps it is estimated with what probability a port marks, and how long
	// that holds. Above maxMarkEstimate next to nothing is left to distinguish other marks by.
	estimateSteps   = 16
	maxMarkEstimate = 0.9
	// otherClassSteps is how many steps it takes to learn what goes through a port in other classes.
	otherClassSteps = 8
	// keptPart: however much goes through a port in other classes, what obeys its group keeps one part in
	// so many of what its destinations would have by head.
	keptPart = 2
)

// govern finds the group that a destination obeys, below 0 if there is none: the lowest limit. Of limits
// that are about equal it is the one of the lowest reference, where the controller publishes it: a
// destination must obey the port that is due to hold it, or it gets what another one, which is due to
// give it more, happens to leave.
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
	if lowest >= 0 {
		lowest = e.leastReference(d, lowest)
	}
	d.governor = uint8(lowest + 1)
	return lowest
}

// leastReference is, of the groups whose limits are about equal to one's, the one that is due to give
// the least.
func (e *Endpoint) leastReference(d *destination, lowest int) int {
	chosen := &e.groups[lowest]
	if !chosen.fresh(e.now) {
		return lowest
	}
	most := chosen.level + chosen.level/governMargin
	least := e.reference(chosen)
	least -= least / referenceMargin
	found := lowest
	for rest := d.groups &^ (1 << lowest); rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros8(rest)
		if g := &e.groups[i]; !g.idle && g.level <= most && g.fresh(e.now) {
			if reference := e.reference(g); reference < least {
				least, found = reference, i
			}
		}
	}
	return found
}

// reference is what a port is due to give: w u, or the floor where that is more.
func (e *Endpoint) reference(g *group) float64 {
	bounds := e.boundsAt(g)
	return math.Max(float64(bounds.GuaranteeBitsPerSecond),
		bounds.Weight*float64(g.share.UnitShareBitsPerSecond))
}

// fresh reports whether the controller is there and publishes what the port is due to give.
func (g *group) fresh(nowNanos int64) bool {
	return !g.relayed && g.share.UnitShareBitsPerSecond > 0 && nowNanos-g.publishedAt < staleNanos
}

// refreshed reports whether what the controller measured at the port is of just now.
func (g *group) refreshed(nowNanos int64) bool {
	return g.fresh(nowNanos) && nowNanos-g.publishedAt < refreshedNanos
}

// sharedReports counts packets that several congested ports may have marked.
type sharedReports struct {
	packets   uint64
	cePackets uint64
	// unmarked is what other ports of which it is known leave unmarked on average, times packets.
	unmarked float64
	// ports are, of those of which it is not known, this one and those that are about to limit them too.
	ports int
	// published is the part of its packets that this port marks, as the controller publishes it; 0: not
	// known.
	published float64
	// By step, averaged; the long means over all of the first steps.
	meanPackets, meanMarks         float64
	longMeanPackets, longMeanMarks float64
	steps                          int
	// owed is what rounding to whole marks has left.
	owed float64
}

// report adds what a receiver reported of a destination that lies behind several ports. A port that
// marks with probability f leaves 1 - f of what crosses it unmarked, so where f is known, from
// destinations that obey that port or from the controller, it is divided out.
func (e *Endpoint) report(d *destination, governor int, packets, cePackets uint64) {
	g := &e.groups[governor]
	unmarked := 1.0
	ports := 1
	for rest := d.groups &^ (1 << governor); rest != 0; rest &= rest - 1 {
		h := &e.groups[bits.TrailingZeros8(rest)]
		switch {
		case h.idle:
		case h.markEstimate.valid():
			unmarked *= 1 - math.Min(h.markEstimate.marks, maxMarkEstimate)
		case h.share.MarkedPart > 0 && h.refreshed(e.now):
			unmarked *= 1 - math.Min(h.share.MarkedPart, maxMarkEstimate)
		case h.level <= g.level+g.level/tieMargin:
			ports++
		}
	}
	g.sharedReports.packets += packets
	g.sharedReports.cePackets += min(cePackets, packets)
	g.sharedReports.unmarked += unmarked * float64(packets)
	g.sharedReports.ports = max(g.sharedReports.ports, ports)
	g.sharedReports.published = 0
	if g.refreshed(e.now) {
		g.sharedReports.published = g.share.MarkedPart
	}
}

// settle adds one port's part of the marks to its interval. Where it is published what the port marks,
// it is that as a part of what was marked of all. Else it is what others leave: n ports that are equally
// about to limit what crosses them, and mark with f each, leave (1 - f)^n of what others leave unmarked.
// The part is found from means: a single interval may show no marks at all, or nothing but marks, and
// what others mark on average has no relation to it.
func (j *sharedReports) settle(interval *model.Interval) {
	if j.packets == 0 {
		return
	}
	gain := 1.0 / sharedSteps
	if j.meanPackets == 0 {
		gain = 1
	}
	j.meanPackets += (float64(j.packets) - j.meanPackets) * gain
	j.meanMarks += (float64(j.cePackets) - j.meanMarks) * gain
	j.steps = min(j.steps+1, longSharedSteps)
	j.longMeanPackets += (float64(j.packets) - j.longMeanPackets) / float64(j.steps)
	j.longMeanMarks += (float64(j.cePackets) - j.longMeanMarks) / float64(j.steps)
	j.owed += float64(j.cePackets) * j.ownPart()
	marks := math.Floor(j.owed)
	j.owed -= marks
	interval.Packets += j.packets
	interval.CEPackets += uint64(marks)
	j.packets, j.cePackets, j.unmarked, j.ports = 0, 0, 0, 0
}

// ownPart is the part of the marks that is this port's.
func (j *sharedReports) ownPart() float64 {
	if j.meanMarks <= 0 {
		return 1
	}
	if j.published > 0 && j.steps == longSharedSteps {
		return clamp(j.published*j.longMeanPackets/j.longMeanMarks, minOwnPart, 1)
	}
	mean := math.Min(j.meanMarks/j.meanPackets, 1)
	unmarked := math.Min((1-mean)/(j.unmarked/float64(j.packets)), 1)
	if j.ports > 1 {
		unmarked = math.Pow(unmarked, 1/float64(j.ports))
	}
	return clamp((1-unmarked)/mean, minOwnPart, 1)
}

// markEstimate is the probability with which a port marks, estimated from destinations that obey it alone.
type markEstimate struct {
	marks float64
	age   int // steps since it was shown; 0: never
}

func (k *markEstimate) valid() bool { return k.age > 0 && k.age <= estimateSteps }

// observe takes an interval's reports.
func (k *markEstimate) observe(packets, cePackets uint64) {
	if packets > 0 {
		part := math.Min(float64(cePackets)/float64(packets), 1)
		if k.valid() {
			part = k.marks + (part-k.marks)/estimateSteps
		}
		*k = markEstimate{part, 1}
	} else if k.age > 0 {
		k.age++
	}
}

// otherClasses is what an endpoint sends through a port in the classes of other groups, by group.
type otherClasses struct {
	bytes         [model.MaxGroups]uint64 // since the last step
	bitsPerSecond float64
}

// measureOtherClasses ends an interval of it. What was offered to a class is no more than the class lets
// through.
func (e *Endpoint) measureOtherClasses(g *group, elapsedNanos int64) {
	if elapsedNanos <= 0 {
		return
	}
	sum := 0.0
	for i, bytes := range g.otherClasses.bytes {
		if bytes > 0 {
			sum += math.Min(float64(bytes)*8e9/float64(elapsedNanos), float64(e.groups[i].limit))
			g.otherClasses.bytes[i] = 0
		}
	}
	g.otherClasses.bitsPerSecond += (sum - g.otherClasses.bitsPerSecond) / otherClassSteps
}

// left is what remains of a port's limit for those who obey it.
func (g *group) left() uint64 {
	if g.obeying == 0 || g.obeying == g.active {
		return g.limit
	}
	kept := float64(g.limit) * float64(g.obeying) / float64(g.active) / keptPart
	return uint64(math.Max(float64(g.limit)-g.otherClasses.bitsPerSecond, kept))
}
