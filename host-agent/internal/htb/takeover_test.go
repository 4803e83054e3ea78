// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"errors"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
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
	b.must(netlink.LinkSetTxQLen(testnet.Link(t, "up0"), 0))
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
	if length := testnet.Link(t, "up0").Attrs().TxQLen; length != 0 {
		t.Errorf("txqueuelen is %d, want 0 as before", length)
	}
}

func TestADeviceThatIsGoneHasNothingToRestore(t *testing.T) {
	b := newBench(t)
	b.addForeign(&netlink.GenericQdisc{QdiscAttrs: b.attributes(0x20000), QdiscType: "pfifo"})
	tree, err := b.tree(true)
	b.must(err)
	testnet.Delete(t, "up0")
	b.must(tree.Release())
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

// What an agent before this one has queued and limited goes on while its classes are taken over.
func TestClassesAreTakenOverInPlace(t *testing.T) {
	b := newBench(t)
	old := b.mustTree()
	b.addEndpoint(old, 1, 1_000_000)
	b.must(old.AddGroup(1, 2, 300_000))
	b.must(old.AddEndpoint(700, 1, borrower(1_000_000)))
	b.sender.Priority(leafClass(1, 2, bulkLeaf))
	for range 6 {
		b.sender.Send(make([]byte, 1514))
	}
	before, err := old.Group(1, 2)
	b.must(err)

	tree, err := TakeOverTree(b.conn, "up0", b.ifindex(), testMTU, testCapacity, nil)
	b.must(err)
	if groups := tree.EarlierGroups(1); len(groups) != 1 || groups[2] != 300_000 {
		t.Errorf("groups %v, want group 2 at 300 kbit/s", groups)
	}
	b.addEndpoint(tree, 1, 2_000_000)
	b.must(tree.AddGroup(1, 2, 300_000))
	after, err := tree.Group(1, 2)
	b.must(err)
	if total := after.Total(); total.SentPackets+total.BacklogPackets != before.Total().SentPackets+before.Total().BacklogPackets ||
		total.BacklogPackets == 0 {
		t.Errorf("%+v, was %+v: want the same queue", total, before.Total())
	}
	if b.classes()[endpointClass(700)] == nil {
		t.Error("a class that may still be needed is gone")
	}
	b.must(tree.RemoveEarlier())
	classes := b.classes()
	if classes[endpointClass(700)] != nil || classes[leafClass(700, 0, bulkLeaf)] != nil || classes[leafClass(1, 2, bulkLeaf)] == nil {
		t.Error("want the classes that were not taken over gone, and no others")
	}
	if ceiling := classes[endpointClass(1)].Ceil * 8; ceiling != 2_000_000 {
		t.Errorf("ceiling %d of the endpoint, want the new one", ceiling)
	}
	b.must(tree.RemoveEndpoint(1))
	b.must(tree.Release())
}

func TestAClassUnderAnotherParentIsRecreated(t *testing.T) {
	b := newBench(t)
	old := b.mustTree()
	b.addEndpoint(old, 1, 1_000_000)
	tree, err := TakeOverTree(b.conn, "up0", b.ifindex(), testMTU, testCapacity, nil)
	b.must(err)
	b.must(tree.AddTenant(2, Part{RateBitsPerSecond: testCapacity, CeilingBitsPerSecond: testCapacity}))
	b.must(tree.AddEndpoint(1, 2, borrower(1_000_000)))
	b.must(tree.RemoveEarlier())
	classes := b.classes()
	if classes[tenantClass(1)] != nil || classes[endpointClass(1)].Parent != tenantClass(2) {
		t.Error("want the endpoint below its new tenant, and the old one gone")
	}
}

func TestTakingOverWithoutATreeFails(t *testing.T) {
	b := newBench(t)
	if _, err := TakeOverTree(b.conn, "up0", b.ifindex(), testMTU, testCapacity, nil); !errors.Is(err, ErrNoTree) {
		t.Errorf("%v, want %v", err, ErrNoTree)
	}
}

// Every class has a number of its own, and no queue below one has the root's handle.
func TestClassNumbersAreUnique(t *testing.T) {
	seen := map[uint32]bool{Handle: true, OpenClass: true, Handle | uplinkMinor: true}
	see := func(class uint32) {
		if seen[class] || class>>16 != Handle>>16 {
			t.Fatalf("class %x is used twice, or is outside the root's", class)
		}
		seen[class] = true
	}
	for index := 1; index <= MaxClasses; index++ {
		see(tenantClass(index))
		see(endpointClass(index))
		for group := range model.MaxGroups + 1 {
			for _, place := range []uint32{sparseLeaf, groupPlace, bulkLeaf} {
				see(leafClass(index, group, place))
			}
			for _, leaf := range []uint32{sparseLeaf, bulkLeaf} {
				if leafHandle(leafClass(index, group, leaf)) == Handle {
					t.Fatalf("the queue of endpoint %d, group %d, leaf %d has the root's handle", index, group, leaf)
				}
			}
		}
	}
}

func TestClassesOfAnEarlierAgentAreRemoved(t *testing.T) {
	b := newBench(t)
	old := b.mustTree()
	b.addEndpoint(old, 9, 1_000_000)
	tree := b.mustTree()
	b.addEndpoint(tree, 1, 1_000_000)
	if b.classes()[endpointClass(9)] != nil {
		t.Error("a class of the earlier agent is still there")
	}
}
