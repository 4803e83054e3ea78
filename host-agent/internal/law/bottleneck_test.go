// SPDX-License-Identifier: Apache-2.0

package law

import (
	"math/rand"
	"sort"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// bottleneck is a packet-slot model of one congested port: time advances by the transmission time
// of one full frame, greedy senders emit at their limits, the queue marks what arrives above a
// threshold, the receiver counts and reports every tau, every sender steps every tau in its own
// phase, and the controller publishes the unit share, and what is lent, every T_i.
type bottleneck struct {
	capacity   float64 // bit/s; also every sender's NIC
	tauNanos   int64
	threshold  int     // K, packets
	delayNanos int64   // from the receiver's report to the sender
	jitter     float64 // of steps and reports, as a part of tau
	// batchSlots > 0: packets arrive in batches of so many slots, always in the order of the
	// senders, as behind a software switch that polls its ports. 0: one by one in random order.
	batchSlots int
	parameters TwoTimeScaleParameters
	seed       int64
	senders    []source
	// publishes is until when there is a controller; what it published last stays.
	publishes func(nowNanos int64) bool
	// notices, if set, takes the place of unit shares: SDN-GCC on both sides.
	notices *noticeSettings
	// portNotices, if set, take the place of feedback: the port's own counters, by way of the
	// controller.
	portNotices *portNotices
}

// source is one greedy sender.
type source struct {
	weight     func(nowNanos int64) float64
	startNanos int64
	stopNanos  int64 // 0: never
	// idleUntil: it is due its share from its start, but sends nothing until then.
	idleUntil int64
}

const bufferPackets = 100

// usedPart of a port is what the controller shares out.
const usedPart = 0.985

// controlPeriodNanos is T_i.
const controlPeriodNanos = 5_000_000

// outcome is what a stretch of time showed.
type outcome struct {
	rates       []float64 // bit/s served, per sender
	utilisation float64
	queueP99    int
	dropped     int
}

const frameBits = 12000 // 1500 bytes

type report struct {
	atNanos int64
	sender  int
	packets uint64
	ce      uint64
}

// sender is a source at work.
type sender struct {
	source
	law        measurable
	limit      float64
	credit     float64 // packets
	nextStep   int64
	lastStep   int64
	sentBytes  uint64
	reported   report // since the last step
	unreported report // at the receiver
	served     int
	stepped    bool
}

func (s *sender) active(now int64) bool {
	return now >= s.startNanos && (s.stopNanos == 0 || now < s.stopNanos)
}

// run is a bottleneck in motion.
type run struct {
	bottleneck
	random     *rand.Rand
	now        float64
	senders    []*sender
	queue      []queued
	arriving   []int // packets of each sender, in a batch
	slots      int
	reports    []report
	nextReport int64
	nextShare  int64
	noticed    noticeState
	pending    pendingNotices
	lastShare  model.UnitShare
	order      []int

	lengths []int
	dropped int
	served  int
}

type queued struct {
	sender int
	ce     bool
}

func (b bottleneck) newLaw() measurable {
	if b.notices != nil {
		return NewSdnGcc(b.notices.parameters)
	}
	return NewTwoTimeScale(b.parameters)
}

func (b bottleneck) start() *run {
	r := &run{bottleneck: b, random: rand.New(rand.NewSource(b.seed))}
	for _, s := range b.senders {
		r.senders = append(r.senders, &sender{
			source: s, law: b.newLaw(),
			nextStep: s.startNanos + int64(r.random.Float64()*float64(b.tauNanos)),
		})
	}
	r.noticed = noticeState{packets: map[int]float64{}, rates: map[int]float64{}}
	r.order = r.random.Perm(len(r.senders))
	r.arriving = make([]int, len(r.senders))
	return r
}

// until runs the model and returns what it showed since the last call.
func (r *run) until(nanos int64) outcome {
	r.lengths, r.dropped, r.served = r.lengths[:0], 0, 0
	for _, s := range r.senders {
		s.served = 0
	}
	began := r.now
	for r.now < float64(nanos) {
		r.slot(int64(r.now))
		r.now += frameBits / r.capacity * 1e9
	}
	seconds := (r.now - began) / 1e9
	result := outcome{dropped: r.dropped}
	for _, s := range r.senders {
		result.rates = append(result.rates, float64(s.served)*frameBits/seconds)
	}
	result.utilisation = float64(r.served) * frameBits / seconds / r.capacity
	sort.Ints(r.lengths)
	result.queueP99 = r.lengths[len(r.lengths)*99/100]
	return result
}

func (r *run) slot(now int64) {
	if r.notices != nil {
		r.notify(now)
	} else {
		r.publish(now)
	}
	if r.portNotices != nil {
		r.distribute(now)
	}
	for len(r.reports) > 0 && r.reports[0].atNanos <= now {
		arrived := r.reports[0]
		r.reports = r.reports[1:]
		r.senders[arrived.sender].reported.packets += arrived.packets
		r.senders[arrived.sender].reported.ce += arrived.ce
	}
	for _, s := range r.senders {
		if s.active(now) && now >= s.nextStep {
			r.step(s, now)
		}
	}
	r.slots++
	if r.batchSlots == 0 {
		r.random.Shuffle(len(r.order), func(i, j int) { r.order[i], r.order[j] = r.order[j], r.order[i] })
	}
	for _, i := range r.order {
		r.emit(i, now)
	}
	if r.batchSlots == 0 || r.slots%r.batchSlots == 0 {
		r.arrive()
	}
	r.serve()
	if now >= r.nextReport {
		r.nextReport += r.wobbled()
		for i, s := range r.senders {
			if s.unreported.packets > 0 && (r.portNotices == nil || i >= r.portNotices.without) {
				r.reports = append(r.reports,
					report{now + r.delayNanos, i, s.unreported.packets, s.unreported.ce})
				s.unreported = report{}
			}
		}
	}
}

func (r *run) publish(now int64) {
	if now < r.nextShare || !r.publishes(now) {
		return
	}
	r.nextShare = now + controlPeriodNanos
	weight, lent := 0.0, 0.0
	for _, s := range r.senders {
		if s.active(now) {
			weight += s.weight(now)
			if now < s.idleUntil {
				lent += s.weight(now)
			}
		}
	}
	r.lastShare = model.UnitShare{
		UnitShareBitsPerSecond: uint64(usedPart * r.capacity / weight),
		CapacityBitsPerSecond:  uint64(r.capacity), ActiveWeight: weight, LentPart: lent / max(weight-lent, 1),
	}
}

func (r *run) step(s *sender, now int64) {
	elapsed := now - s.lastStep
	if !s.stepped {
		s.stepped, elapsed = true, 0
	}
	s.law.SetBounds(model.Bounds{CeilingBitsPerSecond: uint64(r.capacity), Weight: s.weight(now)})
	if r.notices == nil {
		s.law.SetShare(r.lastShare)
	}
	s.limit = float64(s.law.Step(model.Interval{
		NowNanos: now, ElapsedNanos: elapsed,
		Packets: s.reported.packets, CEPackets: s.reported.ce,
		SentBytes: s.sentBytes, Backlogged: true, LentPart: r.lastShare.LentPart,
	}))
	s.reported, s.sentBytes, s.lastStep = report{}, 0, now
	s.nextStep += r.wobbled()
}

// emit sends what the limit allows; a burst of two frames at most (HTB's burst).
func (r *run) emit(i int, now int64) {
	s := r.senders[i]
	if !s.active(now) || now < s.idleUntil {
		s.credit = 0
		return
	}
	s.credit = min(s.credit+s.limit/r.capacity, 2)
	for s.credit >= 1 {
		s.credit--
		s.sentBytes += frameBits / 8
		r.arriving[i]++
	}
}

func (r *run) arrive() {
	for _, i := range r.order {
		for ; r.arriving[i] > 0; r.arriving[i]-- {
			if len(r.queue) >= bufferPackets {
				r.dropped++
				continue
			}
			r.queue = append(r.queue, queued{i, len(r.queue) > r.threshold})
			r.pending.count(r.queue[len(r.queue)-1])
		}
	}
}

func (r *run) serve() {
	r.lengths = append(r.lengths, len(r.queue))
	if len(r.queue) == 0 {
		return
	}
	packet := r.queue[0]
	r.queue = r.queue[1:]
	s := r.senders[packet.sender]
	s.served++
	r.served++
	s.unreported.packets++
	if packet.ce {
		s.unreported.ce++
	}
	if r.notices != nil {
		r.noticed.count(packet)
	}
}

func (r *run) wobbled() int64 {
	return r.tauNanos + int64((r.random.Float64()*2-1)*r.jitter*float64(r.tauNanos))
}
