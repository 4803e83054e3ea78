// SPDX-License-Identifier: Apache-2.0

// Package quota is a table of bounded size whose entries belong to owners: whoever makes many replaces its own
// oldest ones, and not those of others.
package quota

import (
	"cmp"
	"slices"
)

// Table holds a value for each key of each owner. Not safe for concurrent use.
type Table[O, K comparable, V any] struct {
	// Removed takes what an entry had when it is removed, for whatever reason. Optional.
	Removed func(owner O, key K, value *V)
	most    int
	total   int
	owners  map[O]map[K]*entry[V]
	evicted uint64
}

type entry[V any] struct {
	value V
	nanos int64 // of its last use
}

// New makes a table of at most so many entries, > 0.
func New[O, K comparable, V any](most int) *Table[O, K, V] {
	return &Table[O, K, V]{most: most, owners: map[O]map[K]*entry[V]{}}
}

// Len is how many entries there are.
func (t *Table[O, K, V]) Len() int { return t.total }

// Evicted is how many entries had to make room for others of their owners.
func (t *Table[O, K, V]) Evicted() uint64 { return t.evicted }

// Find is an entry's value; nil where there is none. Use notes that it was of use.
func (t *Table[O, K, V]) Find(owner O, key K) *V {
	if e := t.owners[owner][key]; e != nil {
		return &e.value
	}
	return nil
}

// Use makes an entry the newest one, at a time that does not go back. It allocates nothing.
func (t *Table[O, K, V]) Use(owner O, key K, nowNanos int64) {
	if e := t.owners[owner][key]; e != nil {
		e.nanos = nowNanos
	}
}

// Add makes an entry that is not there yet.
func (t *Table[O, K, V]) Add(owner O, key K, nowNanos int64, value V) *V {
	own := t.owners[owner]
	if own == nil {
		own = map[K]*entry[V]{}
		t.owners[owner] = own
	}
	if len(own) > 0 && len(own) >= t.most/len(t.owners) {
		t.evict(owner, own)
	} else if t.total >= t.most {
		t.evictFromLargest(owner)
	}
	e := &entry[V]{value: value, nanos: nowNanos}
	own[key] = e
	t.total++
	return &e.value
}

// evictedPart of an owner's entries go at once, so that each new one need not search them all.
const evictedPart = 8

func (t *Table[O, K, V]) evict(owner O, own map[K]*entry[V]) {
	type aged struct {
		key   K
		nanos int64
	}
	all := make([]aged, 0, len(own))
	for key, e := range own {
		all = append(all, aged{key, e.nanos})
	}
	slices.SortFunc(all, func(a, b aged) int { return cmp.Compare(a.nanos, b.nanos) })
	part := t.most / len(t.owners)
	count := max(len(own)-part+max(part/evictedPart, 1), 1)
	for _, one := range all[:min(count, len(all))] {
		t.Delete(owner, one.key)
		t.evicted++
	}
}

// evictFromLargest makes room for an owner that has less than its part.
func (t *Table[O, K, V]) evictFromLargest(than O) {
	var largest O
	most := 0
	for owner, own := range t.owners {
		if owner != than && len(own) > most {
			largest, most = owner, len(own)
		}
	}
	if most > 0 {
		t.evict(largest, t.owners[largest])
	}
}

// Delete removes an entry, if it is there. An owner without any is forgotten.
func (t *Table[O, K, V]) Delete(owner O, key K) {
	own := t.owners[owner]
	e := own[key]
	if e == nil {
		return
	}
	delete(own, key)
	t.total--
	if len(own) == 0 {
		delete(t.owners, owner)
	}
	if t.Removed != nil {
		t.Removed(owner, key, &e.value)
	}
}

// Forget removes the entries that were not of use since a time.
func (t *Table[O, K, V]) Forget(beforeNanos int64) {
	for owner, own := range t.owners {
		for key, e := range own {
			if e.nanos < beforeNanos {
				t.Delete(owner, key)
			}
		}
	}
}
