// SPDX-License-Identifier: Apache-2.0

// Package routes puts hints into force by the metrics of routes: of those that a network namespace's main table has,
// and of more specific ones where a hint is for some of a route's destinations. What was there before is restored.
package routes

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/vishvananda/netlink/nl"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/netspace"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/hintset"
)

// mostChanges bounds the routes of a namespace that have hints: each is a message to the kernel, and all of them are
// read once a second.
const mostChanges = 8192

// mostRoutes bounds the routes that a namespace may have: a container could have its host's agent read and compare
// as many as it makes, once a second.
const mostRoutes = 16_384

// restLooks is for how many looks a namespace with more routes is left alone: even to discard them costs.
const restLooks = 60

var errTooMany = fmt.Errorf("more than %d routes: hints are left as they are", mostRoutes)

// families are those whose routes have hints.
var families = []uint8{unix.AF_INET, unix.AF_INET6}

// Namespace is the main table of one network namespace. Not safe for concurrent use.
type Namespace struct {
	path    string
	inode   uint64
	socket  *nl.SocketHandle
	journal *Journal

	set    *hintset.Set // as of the last reading
	dump   []byte       // as of the last reading
	result Result
	rest   int // so many looks are left out
}

// Result is what is in force.
type Result struct {
	// Routes are how many have a part of each hint, by its index.
	Routes map[int]int
	// LeftAlone are routes that hints cover and that cannot have them, with the reasons.
	LeftAlone []string
	// Failures are what could not be done.
	Failures []error
}

// Open opens the namespace at a path. What the journal has of it is taken over.
func Open(path string, journal *Journal) (*Namespace, error) {
	handle, err := netns.GetFromPath(path)
	if err != nil {
		return nil, fmt.Errorf("network namespace %s: %w", path, err)
	}
	defer handle.Close()
	var info unix.Stat_t
	if err := unix.Fstat(int(handle), &info); err != nil {
		return nil, fmt.Errorf("network namespace %s: %w", path, err)
	}
	socket, err := nl.GetNetlinkSocketAt(handle, netns.None(), unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("network namespace %s: %w", path, err)
	}
	return &Namespace{path: path, inode: info.Ino, socket: &nl.SocketHandle{Socket: socket}, journal: journal}, nil
}

// IsAt reports whether the path still leads to this namespace.
func (n *Namespace) IsAt(path string) bool {
	inode, err := netspace.InodeOf(path)
	return err == nil && inode == n.inode
}

// Close restores what was there before, and ends it.
func (n *Namespace) Close() error {
	result := n.Sync(hintset.New(nil))
	n.socket.Close()
	return errors.Join(result.Failures...)
}

// Sync has the hints of a set hold, those and no others. Where neither the set nor the table has changed since the
// last time, it only reads. Of too many routes it reads all only to end hints.
func (n *Namespace) Sync(set *hintset.Set) Result {
	if n.rest > 0 && !set.IsEmpty() {
		n.rest--
		return Result{Failures: []error{errTooMany}}
	}
	messages, err := n.list(set.IsEmpty())
	if err != nil {
		if errors.Is(err, errTooMany) {
			n.rest = restLooks
		}
		return Result{Failures: []error{err}}
	}
	dump := bytes.Join(messages, nil)
	if n.set == set && len(n.result.Failures) == 0 && bytes.Equal(dump, n.dump) {
		return n.result
	}
	table, err := parse(messages)
	if err != nil {
		return Result{Failures: []error{err}}
	}
	loaded, err := LoadedControls()
	if err != nil {
		return Result{Failures: []error{err}}
	}
	n.set, n.dump = set, dump
	n.result = n.apply(newPlan(table, set, n.changed(), loaded))
	return n.result
}

func (n *Namespace) list(isUnbounded bool) ([][]byte, error) {
	var all [][]byte
	count := 0
	for _, family := range families {
		request := nl.NewNetlinkRequest(unix.RTM_GETROUTE, unix.NLM_F_DUMP)
		request.AddData(&nl.RtMsg{RtMsg: unix.RtMsg{Family: family}})
		request.Sockets = n.sockets()
		err := request.ExecuteIter(unix.NETLINK_ROUTE, unix.RTM_NEWROUTE, func(message []byte) bool {
			count++
			if count > mostRoutes && !isUnbounded {
				return false
			}
			// Of a family that the kernel does not have it lists another's.
			if len(message) > 0 && message[0] == family {
				all = append(all, message)
			}
			return true
		})
		if err != nil {
			return nil, fmt.Errorf("list routes: %w", err)
		}
		if count > mostRoutes && !isUnbounded {
			return nil, errTooMany
		}
	}
	return all, nil
}

func (n *Namespace) execute(request *nl.NetlinkRequest, answer uint16) ([][]byte, error) {
	request.Sockets = n.sockets()
	return request.Execute(unix.NETLINK_ROUTE, answer)
}

func (n *Namespace) sockets() map[int]*nl.SocketHandle {
	return map[int]*nl.SocketHandle{unix.NETLINK_ROUTE: n.socket}
}

func parse(messages [][]byte) ([]*route, error) {
	var table []*route
	for _, message := range messages {
		r, isMain, err := parseRoute(message)
		if err != nil {
			return nil, err
		}
		if isMain {
			table = append(table, r)
		}
	}
	return table, nil
}

const availableControls = "/proc/sys/net/ipv4/tcp_available_congestion_control"

// LoadedControls are the congestion controls that connections can have now.
func LoadedControls() ([]string, error) {
	text, err := os.ReadFile(availableControls)
	if err != nil {
		return nil, fmt.Errorf("congestion controls: %w", err)
	}
	return strings.Fields(string(text)), nil
}

func (n *Namespace) changed() []ChangedRoute {
	if left := n.journal.namespaces[n.path]; left != nil && left.Inode == n.inode {
		return left.Changed
	}
	return nil
}

// apply first writes down what it is about to do, so that whoever comes after a kill can undo it.
func (n *Namespace) apply(p *plan) Result {
	if count := len(p.changes) + len(p.additions); count > mostChanges {
		return Result{Failures: []error{fmt.Errorf("%d routes would have hints, at most %d: none is changed", count, mostChanges)}}
	}
	result := Result{Routes: p.counts(), LeftAlone: p.leftAlone}
	if err := n.write(p.journal, p.isNeeded()); err != nil {
		result.Failures = append(result.Failures, err)
		result.Routes = nil
		return result
	}
	steps := []struct {
		routes      []*route
		kind, flags int
	}{
		{p.changes, unix.RTM_NEWROUTE, unix.NLM_F_REPLACE},
		{p.additions, unix.RTM_NEWROUTE, unix.NLM_F_CREATE | unix.NLM_F_REPLACE},
		{p.removals, unix.RTM_DELROUTE, 0},
	}
	for _, step := range steps {
		for _, r := range step.routes {
			_, err := n.execute(r.request(step.kind, step.flags), 0)
			if isGone(err) {
				continue // the next reading finds what is there instead
			}
			if err != nil {
				result.Failures = append(result.Failures, fmt.Errorf("route to %s: %w", r.key.Destination, err))
				for _, i := range p.bearers[r.key] {
					result.Routes[i]--
				}
			}
		}
	}
	if len(result.Failures) == 0 {
		if err := n.write(p.remaining, p.isUsed); err != nil {
			result.Failures = append(result.Failures, err)
		}
	}
	return result
}

// isGone reports that a route went in the meantime, or its device.
func isGone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) || errors.Is(err, unix.ENODEV)
}

// write saves the journal if it changes; isUsed: there is something to undo, if only routes of ours.
func (n *Namespace) write(changed []ChangedRoute, isUsed bool) error {
	before := n.journal.namespaces[n.path]
	if !isUsed {
		if before == nil {
			return nil
		}
		delete(n.journal.namespaces, n.path)
		return n.journal.save()
	}
	equal := func(a, b ChangedRoute) bool {
		return a.Key == b.Key && a.Before == b.Before && slices.Equal(a.Ours, b.Ours)
	}
	if before != nil && before.Inode == n.inode && slices.EqualFunc(before.Changed, changed, equal) {
		return nil
	}
	n.journal.namespaces[n.path] = &changedNamespace{Path: n.path, Inode: n.inode, Changed: changed}
	return n.journal.save()
}

// covers reports whether a prefix has all of another in it.
func covers(wide, narrow netip.Prefix) bool {
	return wide.Bits() <= narrow.Bits() && wide.Contains(narrow.Addr())
}
