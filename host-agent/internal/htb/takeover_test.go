// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"errors"
	"testing"

	"github.com/vishvananda/netlink"
)

func TestForeignRootIsRefused(t *testing.T) {
	b := newBench(t)
	b.addForeign(&netlink.Tbf{QdiscAttrs: b.attributes(0x10000), Rate: 1_000_000, Limit: 9000, Buffer: 5000})
	_, err := b.tree(false)
	var foreign *ForeignRootError
	if !errors.As(err, &foreign) || foreign.Kind != "tbf" || foreign.Irreplaceable {
		t.Errorf("%v, want a refusal that names tbf and the remedy", err)
	}
	if kind, handle := b.rootKind(); kind != "tbf" || handle != 0x10000 {
		t.Errorf("the root is %s %x after the refusal", kind, handle)
	}
}

func TestForeignRootIsReplacedWhereAllowedAndRestored(t *testing.T) {
	b := newBench(t)
	b.addForeign(&netlink.GenericQdisc{QdiscAttrs: b.attributes(0x20000), QdiscType: "pfifo"})
	before, err := b.conn.readRoot(b.ifindex())
	b.must(err)
	tree, err := b.tree(true)
	b.must(err)
	if kind, handle := b.rootKind(); kind != "htb" || handle != Handle {
		t.Errorf("the root is %s %x, want ours", kind, handle)
	}
	b.must(tree.Release())
	after, err := b.conn.readRoot(b.ifindex())
	b.must(err)
	if after.kind != before.kind || after.handle != before.handle || string(after.options) != string(before.options) {
		t.Errorf("restored %s %x %x, want %s %x %x",
			after.kind, after.handle, after.options, before.kind, before.handle, before.options)
	}
}

func TestForeignClassesAreNeverReplaced(t *testing.T) {
	b := newBench(t)
	b.addForeign(netlink.NewHtb(b.attributes(0x10000)))
	attributes := netlink.ClassAttrs{LinkIndex: b.ifindex(), Parent: 0x10000, Handle: 0x10001}
	b.must(netlink.ClassAdd(netlink.NewHtbClass(attributes, netlink.HtbClassAttrs{Rate: 1_000_000})))
	_, err := b.tree(true)
	var foreign *ForeignRootError
	if !errors.As(err, &foreign) || !foreign.Irreplaceable {
		t.Errorf("%v, want a refusal: it could not be restored", err)
	}
	if kind, handle := b.rootKind(); kind != "htb" || handle != 0x10000 {
		t.Errorf("the root is %s %x after the refusal", kind, handle)
	}
}

func TestOwnRemainsAreTakenOver(t *testing.T) {
	b := newBench(t)
	old := b.mustTree()
	b.addEndpoint(old, 9, 1_000_000)
	tree := b.mustTree()
	b.addEndpoint(tree, 1, 1_000_000)
	if b.classes()[0x51ce0900] != nil {
		t.Error("a class of the earlier agent is still there")
	}
}
