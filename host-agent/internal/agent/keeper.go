// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/engine"
	"github.com/sluice-sdn/sluice/host-agent/internal/linkwatch"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/ovsdb"
)

const (
	// settlePause after a notification: interfaces come in several steps, and in crowds.
	settlePause = 20 * time.Millisecond
	// retryPause after a failure, for which the kernel will send no notification.
	retryPause = time.Second
)

// keeper keeps the endpoints in step with the interfaces that there are. It works in a goroutine of
// its own, because the kernel takes tens of milliseconds to attach or detach a program, and the
// engine must not stand still meanwhile.
type keeper struct {
	agent    *Agent
	links    *linkwatch.Watcher
	attached map[int]model.Endpoint // by ifindex
	// switched is nil unless Open vSwitch's database names the endpoints.
	switched *ovsdb.Watcher
	ends     context.CancelFunc
}

func newKeeper(a *Agent) (*keeper, error) {
	links, err := linkwatch.Open()
	if err != nil {
		return nil, err
	}
	k := &keeper{agent: a, links: links, attached: map[int]model.Endpoint{}, ends: func() {}}
	if settings := a.config.Endpoints; settings.Source == config.SourceOVSDB {
		k.watchSwitch(ovsdb.New(settings.OVSDB.Socket, settings.OVSDB.Bridge))
	}
	return k, nil
}

// firstAnswer is how long the start waits for Open vSwitch's database; endpoints may come later.
const firstAnswer = 2 * time.Second

// watchSwitch begins to follow the switch's database.
func (k *keeper) watchSwitch(watcher *ovsdb.Watcher) {
	ctx, cancel := context.WithCancel(context.Background())
	k.switched = watcher
	ended := make(chan struct{})
	go func() { defer close(ended); watcher.Run(ctx) }()
	k.ends = func() { cancel(); <-ended }
	select {
	case <-watcher.Changes():
	case <-time.After(firstAnswer):
	}
}

func (k *keeper) close() error {
	k.ends()
	return k.links.Close()
}

// changesOfSwitch receives nothing where no database is followed.
func (k *keeper) changesOfSwitch() <-chan struct{} {
	if k.switched == nil {
		return nil
	}
	return k.switched.Changes()
}

// look says what is to be done about the interfaces that there are now.
func (k *keeper) look() (plan, error) {
	links, err := k.links.List()
	if err != nil {
		return plan{}, fmt.Errorf("list interfaces: %w", err)
	}
	var switched ovsdb.View
	if k.switched != nil {
		switched = k.switched.View()
	}
	return k.agent.plan(links, switched)
}

// begin makes the first endpoints, before there is an engine.
func (k *keeper) begin(p plan) error {
	for _, w := range p.wanted {
		err := k.agent.endpoints.Add(w.device, w.described)
		if err == nil {
			err = k.attach(w)
		}
		if err != nil {
			return err
		}
	}
	k.agent.setWaiting(p.waiting)
	return nil
}

var errUplinkGone = errors.New("has gone, or was made anew: what held the limits went with it; start the agent again once it is there")

// run follows the interfaces until ctx ends. It fails when the uplink goes.
func (k *keeper) run(ctx context.Context) error {
	if err := k.links.Enter(); err != nil {
		return err
	}
	retry := time.NewTimer(0) // something may have changed since begin
	defer retry.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-k.links.Changes():
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(settlePause):
			}
		case <-k.changesOfSwitch():
		case <-retry.C:
		}
		p, err := k.look()
		if p.goneDevice != "" {
			return fmt.Errorf("uplink %s %w", p.goneDevice, errUplinkGone)
		}
		if err == nil {
			err = k.follow(p)
		}
		if errors.Is(err, engine.ErrEnded) {
			return nil
		}
		if err != nil {
			retry.Reset(retryPause)
			k.agent.inbox.Post(func() { k.agent.faults.Report("follow the interfaces", err) })
		}
	}
}

// follow removes endpoints whose interfaces have gone and adds those that have come.
func (k *keeper) follow(p plan) error {
	var failures []error
	for ifindex, described := range k.attached {
		still := slices.ContainsFunc(p.wanted, func(w wanted) bool {
			return w.device.Attrs().Index == ifindex && sameDescription(w.described, described)
		})
		if !still {
			failures = append(failures, k.drop(ifindex))
		}
	}
	waiting := p.waiting
	for _, w := range p.wanted {
		if _, attached := k.attached[w.device.Attrs().Index]; attached {
			continue
		}
		if err := k.admit(w); errors.Is(err, endpoints.ErrTooMany) {
			waiting = append(waiting, Waiting{w.described.Interface, err.Error()})
		} else if err != nil {
			failures = append(failures, err)
			waiting = append(waiting, Waiting{w.described.Interface, err.Error()})
		}
	}
	k.agent.inbox.Post(func() { k.agent.setWaiting(waiting) })
	return errors.Join(failures...)
}

// sameDescription is false also for an endpoint that was given another MAC or other addresses: it is
// made anew.
func sameDescription(a, b model.Endpoint) bool {
	return a.Interface == b.Interface && bytes.Equal(a.MAC, b.MAC) && slices.Equal(a.IPs, b.IPs)
}

func (k *keeper) admit(w wanted) error {
	_, err := engine.CallAndWait(k.agent.inbox, func() (any, error) {
		return nil, k.agent.endpoints.Add(w.device, w.described)
	})
	if err != nil {
		return err
	}
	if err := k.attach(w); err != nil {
		undo := k.remove(w.device.Attrs().Index)
		if errors.Is(err, unix.ENODEV) {
			return undo // it went meanwhile
		}
		return errors.Join(err, undo)
	}
	return nil
}

func (k *keeper) attach(w wanted) error {
	ifindex := w.device.Attrs().Index
	if err := k.agent.shim.AttachEndpoint(k.agent.config.BPFDirectory, ifindex); err != nil {
		return fmt.Errorf("endpoint %s: %w", w.described.Interface, err)
	}
	k.attached[ifindex] = w.described
	return nil
}

func (k *keeper) drop(ifindex int) error {
	name := k.attached[ifindex].Interface
	delete(k.attached, ifindex)
	if err := errors.Join(k.agent.shim.Detach(ifindex), k.remove(ifindex)); err != nil {
		return fmt.Errorf("endpoint %s: %w", name, err)
	}
	return nil
}

func (k *keeper) remove(ifindex int) error {
	_, err := engine.CallAndWait(k.agent.inbox, func() (any, error) {
		pairs, err := k.agent.endpoints.Remove(ifindex)
		for _, slot := range pairs {
			delete(k.agent.pairs, slot)
		}
		return nil, err
	})
	return err
}

// setWaiting notes what is missing, and logs what is newly so.
func (a *Agent) setWaiting(waiting []Waiting) {
	for _, w := range waiting {
		if !slices.Contains(a.waiting, w) {
			a.log.Warn("waiting for an interface", "interface", w.Interface, "reason", w.Reason)
		}
	}
	a.waiting = waiting
}
