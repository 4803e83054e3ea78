// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// busyTree has two endpoints of two tenants, one of them with a group of a congested port.
func (b *bench) busyTree() *Tree {
	b.t.Helper()
	tree := b.mustTree()
	b.addEndpoint(tree, 1, 40_000_000)
	b.must(tree.AddTenant(2, Part{RateBitsPerSecond: 10_000_000, CeilingBitsPerSecond: testCapacity}))
	b.must(tree.AddEndpoint(7, 2, Part{RateBitsPerSecond: 10_000_000, CeilingBitsPerSecond: testCapacity, QuantumBytes: 3028}))
	b.must(tree.AddGroup(7, 3, 5_000_000))
	return tree
}

// shapes is what the kernel has, without counters.
func (b *bench) shapes() map[uint32]existing {
	b.t.Helper()
	all, err := b.conn.allClasses(b.ifindex())
	b.must(err)
	return all
}

func (b *bench) expectRestored(tree *Tree, what string, before map[uint32]existing) {
	b.t.Helper()
	restored, err := tree.Restore(false)
	b.must(err)
	if after := b.shapes(); !restored || !maps.Equal(after, before) {
		b.t.Errorf("%s: restored %v\n%v\nwant\n%v", what, restored, after, before)
	}
	if restored, err = tree.Restore(false); restored || err != nil {
		b.t.Errorf("%s: restored again (%v)", what, err)
	}
}

func TestWhatOthersRemoveIsRestored(t *testing.T) {
	b := newBench(t)
	tree := b.busyTree()
	before := b.shapes()
	if !tree.IsInPlace() {
		t.Fatal("not in place")
	}
	b.must(b.conn.deleteRoot(b.ifindex()))
	if tree.IsInPlace() {
		t.Error("in place after tc qdisc del")
	}
	b.expectRestored(tree, "the root", before)
	queue := b.queue(leafClass(7, 3, bulkLeaf))
	b.must(b.conn.deleteClass(b.ifindex(), leafClass(7, 3, bulkLeaf)))
	b.expectRestored(tree, "a class", before)
	if got := b.queue(leafClass(7, 3, bulkLeaf)); got != queue {
		t.Errorf("its queue is %s, want %s", got, queue)
	}
	b.must(b.conn.changeClass(b.ifindex(), tree.groupShape(7, 3, 40_000_000)))
	b.expectRestored(tree, "a limit", before)
	// It is changed, and ends, as if nothing had been.
	b.must(tree.SetGroup(7, 3, 6_000_000))
	b.must(tree.RemoveEndpoint(7))
	b.must(tree.RemoveTenant(2))
	b.must(b.conn.deleteRoot(b.ifindex()))
	if _, err := tree.Restore(false); err != nil || len(b.shapes()) != 2+1+4 {
		t.Errorf("%v, %v", b.shapes(), err)
	}
	b.must(tree.Release())
	if kind, _ := b.rootKind(); kind != "noqueue" {
		t.Errorf("%s is left", kind)
	}
}

func TestAForeignRootInPlaceOfOursIsRefusedUnlessAllowed(t *testing.T) {
	b := newBench(t)
	tree := b.busyTree()
	before := b.shapes()
	b.must(b.conn.deleteRoot(b.ifindex()))
	b.addForeign(&netlink.Tbf{QdiscAttrs: b.attributes(0x10000), Rate: 1_000_000, Limit: 9000, Buffer: 5000})
	var foreign *ForeignRootError
	if _, err := tree.Restore(false); !errors.As(err, &foreign) || foreign.Kind != "tbf" {
		t.Errorf("%v, want a refusal that names tbf", err)
	}
	if kind, _ := b.rootKind(); kind != "tbf" {
		t.Errorf("%s after the refusal", kind)
	}
	if _, err := tree.Restore(true); err != nil || !maps.Equal(b.shapes(), before) {
		t.Errorf("%v\n%v", err, b.shapes())
	}
	b.must(tree.Release())
	if kind, handle := b.rootKind(); kind != "tbf" || handle != 0x10000 {
		t.Errorf("%s %x is left, want what was there last", kind, handle)
	}
}

// What nobody limits has no part in any capacity.
func TestTheOpenClassIsFasterThanAnyDevice(t *testing.T) {
	b := newBench(t)
	const capacity = 400_000_000_000
	_, err := NewTree(b.conn, "up0", b.ifindex(), testMTU, capacity, false)
	b.must(err)
	all := b.shapes()
	if open := all[OpenClass]; open.rate < 10*capacity || open.ceiling < 10*capacity {
		t.Errorf("%+v", open)
	}
	if uplink := all[Handle|uplinkMinor]; uplink.rate != capacity || uplink.ceiling != capacity {
		t.Errorf("%+v, want the capacity", uplink)
	}
}

// queue is a leaf's queue as the kernel describes it: its kind and options.
func (b *bench) queue(class uint32) (described string) {
	b.t.Helper()
	message := nl.TcMsg{Ifindex: int32(b.ifindex())}
	b.must(b.conn.request(unix.RTM_GETQDISC, unix.NLM_F_DUMP, message, nil, func(payload []byte) error {
		if nl.DeserializeTcMsg(payload).Parent != class {
			return nil
		}
		attributes, err := attributesOf(payload[nl.SizeofTcMsg:])
		described = fmt.Sprintf("%s %x", text(attributes[nl.TCA_KIND]), attributes[nl.TCA_OPTIONS])
		return err
	}))
	if described == "" {
		b.t.Fatalf("class %s has no queue", handleName(class))
	}
	return described
}
