// SPDX-License-Identifier: Apache-2.0

package link

import "github.com/sluice-sdn/sluice/host-agent/internal/model"

// shareTable has the unit shares that nodes published, and decides which one holds for a port.
type shareTable struct {
	ports    map[model.Port]map[string]publishedShare
	received uint64
}

// publishedShare is a unit share as one node published it last, as the master of the port's switch in a term.
type publishedShare struct {
	share    model.UnitShare
	term     uint64
	received uint64 // grows
}

func newShareTable() *shareTable {
	return &shareTable{ports: map[model.Port]map[string]publishedShare{}}
}

// publish enters a node's share, and removes those of nodes without a lease: they were kept as long as no
// other node published one; and those of former masters, which may be dead.
func (t *shareTable) publish(node string, term uint64, share model.UnitShare, alive func(node string) bool) {
	published := t.ports[share.Port]
	if published == nil {
		published = map[string]publishedShare{}
		t.ports[share.Port] = published
	}
	t.received++
	published[node] = publishedShare{share, term, t.received}
	if share.Expired {
		delete(published, node)
	}
	for other, by := range published {
		if !alive(other) || by.term < term {
			delete(published, other)
		}
	}
	if len(published) == 0 {
		delete(t.ports, share.Port)
	}
}

// effective is the share that holds for a port: the lowest of nodes with a lease, else the latest. Without
// any it has no node.
func (t *shareTable) effective(port model.Port, alive func(node string) bool) (by string, share model.UnitShare) {
	var best publishedShare
	for node, published := range t.ports[port] {
		better := by == ""
		switch {
		case better:
		case alive(node) != alive(by):
			better = alive(node)
		case alive(node):
			better = published.share.UnitShareBitsPerSecond < best.share.UnitShareBitsPerSecond
		default:
			better = published.received > best.received
		}
		if better {
			by, best = node, published
		}
	}
	return by, best.share
}

// expire removes the shares of a node whose lease has ended, where others have published one, and returns
// those that hold instead, by node. Where none has, its share stays.
func (t *shareTable) expire(node string, alive func(node string) bool) map[string][]model.UnitShare {
	replaced := map[string][]model.UnitShare{}
	for port, published := range t.ports {
		if _, did := published[node]; !did {
			continue
		}
		if by, share := t.effective(port, alive); by != node && alive(by) {
			delete(published, node)
			replaced[by] = append(replaced[by], share)
		}
	}
	return replaced
}
