// SPDX-License-Identifier: Apache-2.0

// Package port is the queue of a software switch port: a capacity, a buffer counted in packets, a
// marking threshold on the instantaneous backlog. Software switches have no such queue, and a
// queue on the switch's own device loses packets uncounted, so it stands on the wire behind it.
package port

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/mapped"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Where the marking program learns the backlog.
const (
	BacklogFromQdisc   = "qdisc"
	BacklogFromPhantom = "phantom"
)

// Port is a running queue.
type Port struct {
	config  config.Port
	conn    *htb.Conn
	netlink sync.Mutex // the control socket, the link and background queues use conn at once
	queue   *htb.Queue
	loader  loader
	objects bpfObjects
	state   *mapped.Array[bpfPort]
	links   []link.Link
	losses  *losses
	// background is nil without levels.
	background        *background
	refusedThresholds atomic.Uint64
	source            string
	lock              *footprint.Lock
	trace             *footprint.Footprint
}

// Start sets the queue up. What an earlier agent left is removed first; a failure leaves nothing.
func Start(settings config.Port) (*Port, error) { return start(settings, anew{}) }

func start(settings config.Port, programs loader) (*Port, error) {
	lock, err := footprint.Acquire(settings.RunDirectory)
	if err != nil {
		return nil, err
	}
	p := &Port{config: settings, loader: programs, lock: lock}
	if err := p.start(); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

func (p *Port) start() error {
	_, err := footprint.UndoEarlier(p.config.RunDirectory, p.config.BPFDirectory)
	if err != nil {
		return err
	}
	if p.trace, err = footprint.New(p.config.RunDirectory, p.config.BPFDirectory); err != nil {
		return err
	}
	ingress, err := netlink.LinkByName(p.config.Ingress)
	if err != nil {
		return fmt.Errorf("ingress %s: %w", p.config.Ingress, err)
	}
	egress, err := netlink.LinkByName(p.config.Egress)
	if err != nil {
		return fmt.Errorf("egress %s: %w", p.config.Egress, err)
	}
	if p.conn, err = htb.Dial(); err != nil {
		return err
	}
	p.trace.RootInterface = p.config.Egress
	p.queue, err = htb.NewQueue(p.conn, p.config.Egress, egress.Attrs().Index, egress.Attrs().MTU,
		htb.QueueShape{
			CapacityBitsPerSecond: p.config.CapacityBitsPerSecond(),
			BufferPackets:         uint32(p.config.BufferPackets),
			Levels:                len(p.config.LevelDSCPs()),
		}, p.config.ReplaceRootQdisc)
	if err != nil {
		p.trace.RootInterface = ""
		return err
	}
	p.trace.SavedRoot = p.queue.SavedRoot()
	if err := p.trace.Save(); err != nil {
		return err
	}
	if err := p.load(ingress.Attrs().Index, egress.Attrs().Index); err != nil {
		return err
	}
	return p.attach(ingress.Attrs().Index, egress.Attrs().Index)
}

func (p *Port) load(ingress, egress int) error {
	dscps := p.config.LevelDSCPs()
	source, err := p.loader.load(&p.objects, len(dscps) > 0)
	if err != nil {
		return err
	}
	p.source = source
	if p.state, err = mapped.Open[bpfPort](p.objects.Ports); err != nil {
		return err
	}
	state := p.state.At(0)
	state.IngressIfindex = uint32(ingress)
	state.EgressIfindex = uint32(egress)
	state.ThresholdPackets = uint32(p.config.CountThresholdPackets())
	if p.config.MarkThresholdPackets > 0 {
		state.Marks = 1
	}
	state.UpperThresholdPackets = uint32(p.config.UpperThresholdPackets())
	state.HoldNanos = uint64(p.config.BacklogHold())
	state.BufferPackets = uint32(p.config.BufferPackets)
	if p.config.NonEct == config.NonEctDrop {
		state.DropNotEct = 1
	}
	if p.losses, err = openLosses(p); err != nil {
		return err
	}
	state.BytesPerSecond = p.config.CapacityBitsPerSecond() / 8
	if len(dscps) > 0 {
		setLevels(state, dscps)
		p.background = newBackground(p)
	}
	return nil
}

// loader loads programs, and unloads them when nothing is attached any more.
type loader interface {
	load(objects *bpfObjects, levels bool) (source string, err error)
	unload(objects *bpfObjects) error
}

// anew loads them for one port alone.
type anew struct{}

func (anew) load(objects *bpfObjects, levels bool) (source string, err error) {
	if levels {
		return BacklogFromQdisc, loadForLevels(objects)
	}
	return loadPrograms(objects)
}

func (anew) unload(objects *bpfObjects) error { return objects.Close() }

// loadPrograms prefers the program that reads the qdisc, and does without where the kernel has no
// bpf_cast_to_kern_ctx (before 6.2) or no BTF.
func loadPrograms(objects *bpfObjects) (source string, err error) {
	spec, err := loadBpf()
	if err != nil {
		return "", fmt.Errorf("BPF programs: %w", err)
	}
	leaveOut(spec, "mark_by_level")
	spec.Maps["destinations"].MaxEntries = 1 // the program does not use it
	exact := spec.LoadAndAssign(objects, nil)
	if exact == nil {
		return BacklogFromQdisc, nil
	}
	phantom := spec.Copy()
	leaveOut(phantom, "mark_by_qdisc")
	if err := phantom.LoadAndAssign(objects, nil); err != nil {
		return "", fmt.Errorf("load BPF programs: %w (reading the qdisc: %w)", err, exact)
	}
	return BacklogFromPhantom, nil
}

// leaveOut puts a program that every kernel takes in the place of one that is not used.
func leaveOut(spec *ebpf.CollectionSpec, program string) {
	spec.Programs[program] = spec.Programs["mark_by_phantom"].Copy()
}

// CanReadQdisc reports whether this kernel lets the marking program see the true backlog.
func CanReadQdisc() error {
	spec, err := loadBpf()
	if err != nil {
		return err
	}
	leaveOut(spec, "mark_by_level")
	var objects bpfObjects
	if err := spec.LoadAndAssign(&objects, nil); err != nil {
		return err
	}
	return objects.Close()
}

func (p *Port) attach(ingress, egress int) error {
	marker := p.objects.MarkByQdisc
	switch {
	case p.config.Levels != nil:
		marker = p.objects.MarkByLevel
	case p.source == BacklogFromPhantom:
		marker = p.objects.MarkByPhantom
	}
	if err := p.attachOne("mark", marker, egress, ebpf.AttachTCXEgress); err != nil {
		return err
	}
	if p.config.Reverse {
		if err := p.attachOne("pass_back", p.objects.PassBack, egress, ebpf.AttachTCXIngress); err != nil {
			return err
		}
	}
	return p.attachOne("into_queue", p.objects.IntoQueue, ingress, ebpf.AttachTCXIngress)
}

func (p *Port) attachOne(name string, program *ebpf.Program, ifindex int, where ebpf.AttachType) error {
	attached, err := link.AttachTCX(link.TCXOptions{
		Interface: ifindex, Program: program, Attach: where, Anchor: link.Head(),
	})
	if err != nil {
		return fmt.Errorf("attach %s: %w", name, err)
	}
	p.links = append(p.links, attached)
	if err := attached.Pin(filepath.Join(p.config.BPFDirectory, name)); err != nil {
		return fmt.Errorf("pin %s: %w", name, err)
	}
	return nil
}

// Stop removes the queue and every other trace.
func (p *Port) Stop() error {
	failures := []error{}
	for _, attached := range p.links {
		failures = append(failures, attached.Unpin(), attached.Close())
	}
	if p.losses != nil {
		failures = append(failures, p.losses.close())
	}
	failures = append(failures, p.state.Close(), p.loader.unload(&p.objects))
	if p.trace != nil {
		failures = append(failures, p.trace.Undo())
	}
	if p.conn != nil {
		failures = append(failures, p.conn.Close())
	}
	failures = append(failures, p.lock.Release())
	return errors.Join(failures...)
}

// Status is what `sluice-agent status` shows of a port. With levels counters and the backlog are their sums.
type Status struct {
	Role                  string `json:"role"`
	Port                  string `json:"port"`
	Ingress               string `json:"ingress"`
	Egress                string `json:"egress"`
	CapacityBitsPerSecond uint64 `json:"capacityBitsPerSecond"`
	BufferPackets         int    `json:"bufferPackets"`
	// MarkThresholdPackets 0: no marking. With levels it is each one's, as is BufferPackets.
	MarkThresholdPackets int `json:"markThresholdPackets"`
	// UpperThresholdPackets is where marks go by the slope: K2, MarkThresholdPackets being K1; else 0.
	UpperThresholdPackets int `json:"upperThresholdPackets"`
	// BacklogHoldMicros is how long one reading of the queue's length counts for marks; 0: not at all.
	BacklogHoldMicros int `json:"backlogHoldMicros"`
	// ThresholdPackets is what OverThresholdPackets are counted by.
	ThresholdPackets int `json:"thresholdPackets"`
	DecidedThresholds
	NonEct string `json:"nonEct"`
	// BacklogSource is what marking goes by: the qdisc itself, or a phantom queue.
	BacklogSource  string `json:"backlogSource"`
	BacklogPackets uint64 `json:"backlogPackets"`
	BacklogBytes   uint64 `json:"backlogBytes"`
	ArrivedPackets uint64 `json:"arrivedPackets"`
	ArrivedBytes   uint64 `json:"arrivedBytes"`
	MarkedPackets  uint64 `json:"markedPackets"`
	// OverThresholdPackets found more than the threshold in the queue, and room; ECT or not.
	OverThresholdPackets uint64 `json:"overThresholdPackets"`
	// DroppedPackets is the sum of the two below it.
	DroppedPackets       uint64 `json:"droppedPackets"`
	DroppedFullPackets   uint64 `json:"droppedFullPackets"`
	DroppedNotEctPackets uint64 `json:"droppedNotEctPackets"`
	SentPackets          uint64 `json:"sentPackets"`
	SentBytes            uint64 `json:"sentBytes"`
	ReturnedPackets      uint64 `json:"returnedPackets"`
	ReturnedBytes        uint64 `json:"returnedBytes"`
	// ArrivedSuperPackets count once in the buffer although they are several frames.
	ArrivedSuperPackets uint64 `json:"arrivedSuperPackets"`
	// SeenBacklog are quantiles of the backlog that arriving packets found in their queue, since the start.
	SeenBacklog Quantiles `json:"seenBacklogPackets"`
	// Levels are absent where there is one queue, and so is Background.
	Levels     []LevelStatus     `json:"levels,omitempty"`
	Background *BackgroundStatus `json:"background,omitempty"`
	LinkStatus
	LossStatus
	// UnreportedLosses of TCP were dropped so fast that the agent did not get them.
	UnreportedLosses uint64 `json:"unreportedLosses"`
	// BacklogHistogram counts arrivals by the backlog that they found; the last is "or more".
	BacklogHistogram []uint64 `json:"backlogHistogram"`
}

// Quantiles of a distribution of packets.
type Quantiles struct {
	P50 int `json:"p50"`
	P99 int `json:"p99"`
	Max int `json:"max"`
}

// Status reads the counters.
func (p *Port) Status() (Status, error) {
	queues, err := p.read()
	if err != nil {
		return Status{}, err
	}
	sum := sumOf(queues.levels)
	state := p.state.At(0)
	histogram := make([]uint64, len(state.BacklogSeen))
	for i := range histogram {
		histogram[i] = atomic.LoadUint64(&state.BacklogSeen[i])
	}
	return Status{
		Role: "port", Port: p.config.Port, Ingress: p.config.Ingress, Egress: p.config.Egress,
		CapacityBitsPerSecond: p.config.CapacityBitsPerSecond(),
		BufferPackets:         p.config.BufferPackets,
		MarkThresholdPackets:  p.config.MarkThresholdPackets,
		UpperThresholdPackets: p.config.UpperThresholdPackets(),
		BacklogHoldMicros:     p.config.BacklogHoldMicros,
		ThresholdPackets:      p.config.CountThresholdPackets(),
		DecidedThresholds:     p.decidedThresholds(clock.Nanos()),
		NonEct:                p.config.NonEct,
		BacklogSource:         p.source,
		BacklogPackets:        sum.BacklogPackets,
		BacklogBytes:          sum.BacklogBytes,
		ArrivedPackets:        atomic.LoadUint64(&state.ArrivedPackets),
		ArrivedBytes:          atomic.LoadUint64(&state.ArrivedBytes),
		MarkedPackets:         sum.MarkedPackets,
		OverThresholdPackets:  sum.OverThresholdPackets,
		DroppedPackets:        sum.DroppedPackets,
		DroppedFullPackets:    sum.DroppedFullPackets,
		DroppedNotEctPackets:  sum.DroppedNotEctPackets,
		SentPackets:           sum.SentPackets,
		SentBytes:             sum.SentBytes,
		ReturnedPackets:       atomic.LoadUint64(&state.ReturnedPackets),
		ReturnedBytes:         atomic.LoadUint64(&state.ReturnedBytes),
		ArrivedSuperPackets:   atomic.LoadUint64(&state.ArrivedSuperPackets),
		SeenBacklog:           quantiles(histogram),
		BacklogHistogram:      histogram,
		Levels:                p.named(queues.levels),
		Background:            p.background.status(queues.background),
		LossStatus:            p.losses.status(),
		UnreportedLosses:      atomic.LoadUint64(&state.UnreportedLosses),
	}, nil
}

func (p *Port) queueStats() (htb.QueueStats, error) {
	p.netlink.Lock()
	defer p.netlink.Unlock()
	return p.queue.Stats()
}

// change changes the queue's classes.
func (p *Port) change(how func(*htb.Queue) error) error {
	p.netlink.Lock()
	defer p.netlink.Unlock()
	return how(p.queue)
}

// totals are the queues' counters since their start, and what they hold.
func (p *Port) totals() (model.PortQueueSample, error) {
	queues, err := p.read()
	if err != nil {
		return model.PortQueueSample{}, err
	}
	sum := sumOf(queues.levels)
	sample := model.PortQueueSample{
		Port: model.Port(p.config.Port), SentPackets: sum.SentPackets, SentBytes: sum.SentBytes,
		MarkedPackets: sum.MarkedPackets, OverThresholdPackets: sum.OverThresholdPackets,
		DroppedPackets: sum.DroppedPackets, BacklogPackets: sum.BacklogPackets, BacklogBytes: sum.BacklogBytes,
		BufferPackets: uint32(p.config.BufferPackets), MarkThresholdPackets: uint32(p.config.MarkThresholdPackets),
	}
	for _, level := range p.named(queues.levels) {
		sample.Levels = append(sample.Levels, model.LevelQueueSample{
			SentPackets: level.SentPackets, SentBytes: level.SentBytes,
			DroppedPackets: level.DroppedPackets, BacklogPackets: level.BacklogPackets,
		})
	}
	for _, queue := range queues.background {
		sample.Background = append(sample.Background, model.BackgroundQueueSample{
			Downstream: model.Port(queue.Downstream), SentBytes: queue.SentBytes, DroppedPackets: queue.DroppedPackets,
			BacklogPackets: queue.BacklogPackets, CapBitsPerSecond: queue.CapBitsPerSecond,
		})
	}
	return sample, nil
}

// arrived is how many packets came to be queued; reading it costs nothing.
func (p *Port) arrived() uint64 { return atomic.LoadUint64(&p.state.At(0).ArrivedPackets) }

// quantiles of a histogram; all zero for an empty one.
func quantiles(histogram []uint64) Quantiles {
	var total uint64
	var q Quantiles
	for i, count := range histogram {
		total += count
		if count > 0 {
			q.Max = i
		}
	}
	var below uint64
	for i, count := range histogram {
		if below*100 < total*50 {
			q.P50 = i
		}
		if below*100 < total*99 {
			q.P99 = i
		}
		below += count
	}
	return q
}
