// SPDX-License-Identifier: Apache-2.0

package interfaces

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/faults"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/hooks"
	"github.com/sluice-sdn/sluice/host-agent/internal/linkwatch"
	"github.com/sluice-sdn/sluice/host-agent/internal/metadata"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/ovsdb"
)

const (
	// settlePause after a notification: interfaces come in several steps, and in crowds.
	settlePause = 20 * time.Millisecond
	// retryPause after a failure, for which the kernel will send no notification.
	retryPause = time.Second
	// cgroupPause is between two readings of cgroups.
	cgroupPause = time.Second
)

// Endpoints are added and removed in the engine's goroutine.
type Endpoints interface {
	Add(all []endpoints.Described) (failures map[string]error)
	Remove(place model.Place) error
	RemoveEarlier() error
	Describe(place model.Place, metadata model.Metadata)
	PutSuperPacketsBack(found map[int]footprint.SuperPackets)
}

// Programs are attached and detached in the reconciler's goroutine.
type Programs interface {
	AttachEndpoint(directory string, place model.Place) error
	HoldInterface(directory string, ifindex int) error
	DetachEarlier(directory string) error
	Detach(ifindex int) error
	AttachSystem(directory string, ifindex int, inward bool) error
	DetachSystem() error
	SetSystemCgroup(index int, directory *os.File) error
	// Attached are the interfaces that have programs, in order.
	Attached() []int
	PutBack(ifindex int) (own []ebpf.ProgramID, restored bool, err error)
}

// Host is what the reconciler changes.
type Host struct {
	Endpoints    Endpoints
	Programs     Programs
	BPFDirectory string
	Inbox        *engine.Inbox
	Faults       *faults.Log
	Log          *slog.Logger
	// Inherits: an earlier agent's programs and classes are taken over.
	Inherits bool
}

// Reconciler keeps the endpoints in step with the interfaces that there are.
type Reconciler struct {
	planner planner
	links   *linkwatch.Watcher
	// switched is nil unless Open vSwitch's database names the endpoints.
	switched *ovsdb.Watcher
	unfollow func() // ends that
	// metadata is followed while Run runs.
	metadata *metadata.Watcher
	host     Host
	attached map[model.Place]model.Endpoint // as they were described
	held     map[int]string                 // interfaces that should be endpoints and cannot: they send nothing
	cgroups  cgroups
	// countsSystem: what arrives for the host's own endpoint is counted.
	countsSystem bool
	missing      []Missing // the engine's
	guard        guard
}

// NewReconciler begins to follow the host's interfaces, of which an earlier agent had some as endpoints; nothing is
// changed yet.
func NewReconciler(settings config.Host, uplink Uplink, earlier map[string]footprint.Endpoint, log *slog.Logger) (*Reconciler, error) {
	cgroups, err := newCgroups(settings.System)
	if err != nil {
		return nil, err
	}
	links, err := linkwatch.Open()
	if err != nil {
		return nil, err
	}
	r := &Reconciler{
		planner: planner{
			sources: settings.Endpoints, static: settings.StaticEndpoints(), uplink: uplink, system: settings.System,
			macs: macs{peer: links.Peer, found: map[string]footprint.Endpoint{}},
		},
		links: links, unfollow: func() {}, attached: map[model.Place]model.Endpoint{}, held: map[int]string{},
		metadata: metadata.New(metadata.Usual, settings.Endpoints.KubeletPods, log),
		cgroups:  cgroups, countsSystem: settings.CountsSystem(), guard: guard{hooks: hooks.NewLister(links.Handle())},
	}
	maps.Copy(r.planner.macs.found, earlier)
	if source := settings.Endpoints; source.Source == config.SourceOVSDB {
		r.followSwitch(ovsdb.New(source.OVSDB.Socket, source.OVSDB.Bridge))
	}
	return r, nil
}

// firstResponse is how long the start waits for Open vSwitch's database; endpoints may come later.
const firstResponse = 2 * time.Second

func (r *Reconciler) followSwitch(watcher *ovsdb.Watcher) {
	ctx, cancel := context.WithCancel(context.Background())
	r.switched = watcher
	ended := make(chan struct{})
	go func() { defer close(ended); watcher.Run(ctx) }()
	r.unfollow = func() { cancel(); <-ended }
	select {
	case <-watcher.Changes():
	case <-time.After(firstResponse):
	}
}

// Close ends it, after Run.
func (r *Reconciler) Close() error {
	r.unfollow()
	return r.links.Close()
}

// changesOfSwitch receives nothing where no database is followed.
func (r *Reconciler) changesOfSwitch() <-chan struct{} {
	if r.switched == nil {
		return nil
	}
	return r.switched.Changes()
}

// Plan computes what is to be done about the interfaces that there are now.
func (r *Reconciler) Plan() (Plan, error) {
	links, err := r.links.List()
	if err != nil {
		return Plan{}, fmt.Errorf("list interfaces: %w", err)
	}
	var switched ovsdb.View
	if r.switched != nil {
		switched = r.switched.View()
	}
	var addresses []netlink.Addr
	if r.planner.system != nil {
		if addresses, err = r.links.Addresses(); err != nil {
			return Plan{}, fmt.Errorf("list addresses: %w", err)
		}
	}
	known, err := r.knownOf(links)
	if err != nil {
		return Plan{}, fmt.Errorf("list VLANs of bridges' ports: %w", err)
	}
	return r.planner.plan(links, addresses, switched, known)
}

// Begin adds the first endpoints, before there is an engine.
func (r *Reconciler) Begin(host Host, p Plan) error {
	r.host = host
	refused := host.Endpoints.Add(described(p.wanted))
	missing, err := r.cgroups.follow(host.Programs)
	missing = append(p.missing, missing...)
	if err != nil {
		return err
	}
	for _, w := range p.wanted {
		err := refused[w.described.Interface]
		switch {
		case errors.Is(err, endpoints.ErrTooMany):
			missing = append(missing, Missing{w.described.Interface, err.Error(), true})
			err = r.holdWanted(w)
		case err == nil:
			err = r.attach(w)
		}
		if err != nil {
			return err
		}
	}
	if err := r.holdAll(p.held); err != nil {
		return err
	}
	r.setMissing(missing)
	return r.succeed(p, func(work func() error) error { return work() })
}

// described are interfaces as the endpoints' table takes them.
func described(all []wantedEndpoint) []endpoints.Described {
	list := make([]endpoints.Described, len(all))
	for i, w := range all {
		list[i] = endpoints.Described{Device: w.device, Endpoint: w.described}
	}
	return list
}

// succeed removes what an earlier agent left beside what was taken over, once it is known which interfaces are
// endpoints.
func (r *Reconciler) succeed(p Plan, inEngine func(func() error) error) error {
	if !r.host.Inherits || p.incomplete {
		return nil
	}
	r.host.Inherits = false
	return errors.Join(r.host.Programs.DetachEarlier(r.host.BPFDirectory), inEngine(r.host.Endpoints.RemoveEarlier))
}

// holdWanted holds one that should be an endpoint and cannot.
func (r *Reconciler) holdWanted(w wantedEndpoint) error {
	if r.isSystem(w.described) {
		return nil
	}
	return r.hold(w.device)
}

// hold has an interface send nothing, because nothing would limit it.
func (r *Reconciler) hold(device netlink.Link) error {
	name, ifindex := device.Attrs().Name, device.Attrs().Index
	if r.held[ifindex] != "" {
		return nil
	}
	err := r.host.Programs.HoldInterface(r.host.BPFDirectory, ifindex)
	if errors.Is(err, unix.ENODEV) {
		return nil // it went meanwhile
	}
	if err != nil {
		return fmt.Errorf("hold %s: %w", name, err)
	}
	r.held[ifindex] = name
	return nil
}

func (r *Reconciler) holdAll(devices []netlink.Link) error {
	var failures []error
	for _, device := range devices {
		failures = append(failures, r.hold(device))
	}
	return errors.Join(failures...)
}

// ErrUplinkGone ends Run.
var ErrUplinkGone = errors.New("was removed or recreated, and its limits with it: restart the agent once the interface exists")

// Run follows the interfaces until ctx ends. It fails when the uplink goes.
func (r *Reconciler) Run(ctx context.Context) error {
	if err := r.links.Enter(); err != nil {
		return err
	}
	retry := time.NewTimer(0) // something may have changed since Begin
	defer retry.Stop()
	var cgroupsDue <-chan time.Time // the kernel does not notify of them
	if len(r.cgroups.paths) > 0 {
		ticker := time.NewTicker(cgroupPause)
		defer ticker.Stop()
		cgroupsDue = ticker.C
	}
	var follow sync.WaitGroup
	following, end := context.WithCancel(ctx)
	follow.Go(func() { r.metadata.Run(following) })
	defer follow.Wait()
	defer end()
	guarding := time.NewTicker(guardPause)
	defer guarding.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-guarding.C:
			if err := r.look(); err != nil {
				r.host.Inbox.Post(func() { r.host.Faults.Report("keep the programs in their places", err) })
			}
			continue
		case <-r.links.Changes():
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(settlePause):
			}
		case <-r.changesOfSwitch():
		case <-r.metadata.Changes():
		case <-cgroupsDue:
		case <-retry.C:
		}
		p, err := r.Plan()
		if p.gone != "" {
			return fmt.Errorf("uplink %s %w", p.gone, ErrUplinkGone)
		}
		if err == nil {
			err = r.reconcile(p)
		}
		if errors.Is(err, engine.ErrEnded) {
			return nil
		}
		if err != nil {
			retry.Reset(retryPause)
			r.host.Inbox.Post(func() { r.host.Faults.Report("follow the host's interfaces", err) })
		}
	}
}

// reconcile removes endpoints whose interfaces have gone and adds those that have come.
func (r *Reconciler) reconcile(p Plan) error {
	var failures []error
	for place, described := range r.attached {
		still := slices.ContainsFunc(p.wanted, func(w wantedEndpoint) bool {
			return w.place() == place && sameDescription(w.described, described)
		})
		if !still {
			failures = append(failures, r.remove(place, p.concerns(place.Ifindex)))
		}
	}
	for ifindex := range r.held {
		if !p.concerns(ifindex) {
			delete(r.held, ifindex)
			failures = append(failures, r.host.Programs.Detach(ifindex))
		}
	}
	failures = append(failures, r.holdAll(p.held))
	absent, err := r.cgroups.follow(r.host.Programs)
	failures = append(failures, err)
	missing := append(p.missing, absent...)
	for _, w := range p.wanted {
		if before, attached := r.attached[w.place()]; attached {
			if !w.described.Metadata.Equal(before.Metadata) {
				r.attached[w.place()] = w.described
				r.host.Inbox.Post(func() { r.host.Endpoints.Describe(w.place(), w.described.Metadata) })
			}
			continue
		}
		err := r.add(w)
		if err != nil {
			missing = append(missing, Missing{w.described.Interface, err.Error(), true})
		}
		if err != nil && !errors.Is(err, endpoints.ErrTooMany) {
			failures = append(failures, err)
		}
	}
	failures = append(failures, r.succeed(p, r.inEngine))
	r.host.Inbox.Post(func() { r.setMissing(missing) })
	return errors.Join(failures...)
}

// sameDescription is false also for an endpoint that was given another MAC or other addresses: it is
// made anew.
func sameDescription(a, b model.Endpoint) bool {
	return a.Interface == b.Interface && bytes.Equal(a.MAC, b.MAC) && slices.Equal(a.IPs, b.IPs)
}

func (r *Reconciler) add(w wantedEndpoint) error {
	err := r.inEngine(func() error {
		return r.host.Endpoints.Add(described([]wantedEndpoint{w}))[w.described.Interface]
	})
	if err != nil {
		return errors.Join(err, r.holdWanted(w))
	}
	if err := r.attach(w); err != nil {
		undo := r.inEngine(func() error { return r.host.Endpoints.Remove(w.place()) })
		if errors.Is(err, unix.ENODEV) {
			return undo // it went meanwhile
		}
		return errors.Join(err, undo)
	}
	return nil
}

func (r *Reconciler) attach(w wantedEndpoint) error {
	programs, directory := r.host.Programs, r.host.BPFDirectory
	var err error
	if r.isSystem(w.described) {
		err = programs.AttachSystem(directory, w.place().Ifindex, r.countsSystem)
	} else {
		err = programs.AttachEndpoint(directory, w.place())
	}
	if err != nil {
		return fmt.Errorf("endpoint %s: %w", w.described.Interface, err)
	}
	delete(r.held, w.place().Ifindex)
	r.attached[w.place()] = w.described
	return nil
}

// remove removes an endpoint. Where its interface stays, so do its programs, which let nothing without an endpoint
// pass: there is no gap until it is an endpoint again or held, and the others of a trunk go on.
func (r *Reconciler) remove(place model.Place, stays bool) error {
	described := r.attached[place]
	name, detach := described.Interface, func() error { return r.host.Programs.Detach(place.Ifindex) }
	if r.isSystem(described) {
		detach = r.host.Programs.DetachSystem
	} else if stays {
		detach = func() error { return nil }
	}
	delete(r.attached, place)
	err := errors.Join(detach(),
		r.inEngine(func() error { return r.host.Endpoints.Remove(place) }))
	if err != nil {
		return fmt.Errorf("endpoint %s: %w", name, err)
	}
	return nil
}

func (r *Reconciler) isSystem(described model.Endpoint) bool {
	return r.planner.system != nil && described.Interface == config.SystemInterface
}

func (r *Reconciler) inEngine(work func() error) error {
	_, err := engine.CallAndWait(r.host.Inbox, func() (struct{}, error) { return struct{}{}, work() })
	return err
}

// setMissing is for the engine's goroutine, as is Missing.
func (r *Reconciler) setMissing(missing []Missing) {
	for _, m := range missing {
		if !slices.Contains(r.missing, m) {
			r.host.Log.Warn("waiting for an interface", "interface", m.Interface, "reason", m.Reason)
		}
	}
	r.missing = missing
}

// Missing are interfaces that should be endpoints, or lead to some, and are not or do not.
func (r *Reconciler) Missing() []Missing { return append([]Missing{}, r.missing...) }
