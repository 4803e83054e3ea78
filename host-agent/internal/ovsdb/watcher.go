// SPDX-License-Identifier: Apache-2.0

// Package ovsdb follows the workloads' interfaces of an Open vSwitch bridge: libvirt, Neutron, network plug-ins of
// Kubernetes and others leave in the switch's database (RFC 7047) which they are, with MACs and addresses.
package ovsdb

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

const database = "Open_vSwitch"

const (
	tableBridge    = "Bridge"
	tablePort      = "Port"
	tableInterface = "Interface"
	tableQoS       = "QoS"
)

var wantedColumns = map[string]monitored{
	tableBridge:    {[]string{"name", "datapath_type", "ports"}},
	tablePort:      {[]string{"interfaces", "external_ids", "qos", "vlan_mode", "tag", "trunks"}},
	tableInterface: {[]string{"name", "type", "external_ids"}},
	tableQoS:       {[]string{"type"}},
}

const (
	firstPause  = 100 * time.Millisecond
	longestWait = 5 * time.Second
)

// View is the bridge as the database has it.
type View struct {
	// Complete: the database has been read since the start.
	Complete bool
	// Fault is why the view may be stale; empty: it is not.
	Fault string
	// HasBridge: there is a bridge of the name at all.
	HasBridge bool
	// Userspace: the bridge's packets are not forwarded by the kernel.
	Userspace bool
	// Interfaces are sorted by name.
	Interfaces []Interface
	// Shaped are the interfaces, of any bridge, whose root qdisc the switch takes for its own: it
	// removes whatever else it finds there.
	Shaped []string
}

// Watcher follows one bridge.
type Watcher struct {
	socket, bridge string
	changes        chan struct{}

	mutex  sync.Mutex
	tables map[string]map[string]row
	view   View
}

// New makes a watcher of a bridge, which does nothing until Run.
func New(socket, bridge string) *Watcher {
	return &Watcher{socket: socket, bridge: bridge, changes: make(chan struct{}, 1)}
}

// Changes receives whenever the view may have changed since the last receipt.
func (w *Watcher) Changes() <-chan struct{} { return w.changes }

// View is what is known now, for reading. What a lost connection leaves stays, with the fault.
func (w *Watcher) View() View {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	view := w.view
	return view
}

// Run follows the database until ctx ends; it connects again for ever.
func (w *Watcher) Run(ctx context.Context) {
	pause := firstPause
	for {
		began := time.Now()
		err := w.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		w.fault(err)
		if time.Since(began) > longestWait {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, longestWait)
	}
}

// follow reads one connection to its end.
func (w *Watcher) follow(ctx context.Context) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", w.socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	s := newSession(conn)
	if err := s.monitor(database, wantedColumns); err != nil {
		return err
	}
	// The first answer is all there is: what went while nothing was followed is gone.
	for first := true; ; first = false {
		updates, err := s.next()
		if err != nil {
			return err
		}
		w.take(updates, first)
	}
}

func (w *Watcher) take(updates tableUpdates, all bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if all {
		w.tables = map[string]map[string]row{tableBridge: {}, tablePort: {}, tableInterface: {}, tableQoS: {}}
	}
	for table, rows := range updates {
		for uuid, update := range rows {
			if known := w.tables[table]; known != nil && update.New != nil {
				known[uuid] = update.New
			} else {
				delete(known, uuid)
			}
		}
	}
	w.view = w.read()
	w.notify()
}

// read makes the view of the rows.
func (w *Watcher) read() View {
	view := View{Complete: true}
	for _, bridge := range w.tables[tableBridge] {
		if bridge.text("name") != w.bridge {
			continue
		}
		view.HasBridge = true
		view.Userspace = bridge.text("datapath_type") == "netdev"
		for _, port := range bridge.references("ports") {
			interfaces := w.tables[tablePort][port].references("interfaces")
			var ids map[string]string
			if len(interfaces) == 1 {
				ids = w.tables[tablePort][port].strings("external_ids")
			}
			for _, uuid := range interfaces {
				if described, is := describe(w.tables[tableInterface][uuid], ids); is {
					described.Trunks = trunksOf(w.tables[tablePort][port])
					described.Tag = tagOf(w.tables[tablePort][port])
					view.Interfaces = append(view.Interfaces, described)
				}
			}
		}
	}
	for _, port := range w.tables[tablePort] {
		if w.leavesQueues(port) {
			continue
		}
		for _, uuid := range port.references("interfaces") {
			view.Shaped = append(view.Shaped, w.tables[tableInterface][uuid].text("name"))
		}
	}
	slices.SortFunc(view.Interfaces, func(a, b Interface) int { return cmp.Compare(a.Name, b.Name) })
	return view
}

// leavesQueues reports whether the switch leaves a port's qdiscs alone.
func (w *Watcher) leavesQueues(port row) bool {
	for _, uuid := range port.references("qos") {
		if w.tables[tableQoS][uuid].text("type") == "linux-noop" {
			return true
		}
	}
	return false
}

func (w *Watcher) fault(err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if text := fmt.Sprint(err); text != w.view.Fault {
		w.view.Fault = text
		w.notify()
	}
}

func (w *Watcher) notify() {
	select {
	case w.changes <- struct{}{}:
	default:
	}
}
