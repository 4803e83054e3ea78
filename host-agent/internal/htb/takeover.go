// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Handle is the major number of every root qdisc that the agent makes: how it recognizes its own.
const Handle uint32 = 0x51ce0000

// SavedRoot is what a root of ours changes on a device, enough to put it back.
type SavedRoot struct {
	// Kind is a foreign root qdisc's that was replaced; empty: the kernel's default was there.
	Kind    string `json:"kind,omitempty"`
	Handle  uint32 `json:"handle,omitempty"`
	Options []byte `json:"options,omitempty"`
	// NoQueueLength: txqueuelen was 0. The kernel makes that 1000 with the first qdisc.
	NoQueueLength bool `json:"noQueueLength,omitempty"`
}

// ForeignRootError refuses to take a device whose root qdisc is foreign.
type ForeignRootError struct {
	Interface string
	Kind      string
	Handle    string
	// Irreplaceable: it could not be restored, so no setting allows it.
	Irreplaceable bool
}

func (e *ForeignRootError) Error() string {
	if e.Irreplaceable {
		return fmt.Sprintf("%s has the root qdisc %s %s with classes, which could not be restored afterwards: "+
			"remove it (tc qdisc del dev %s root) or choose another interface",
			e.Interface, e.Kind, e.Handle, e.Interface)
	}
	return fmt.Sprintf("%s has the root qdisc %s %s, set up by another program: "+
		"set replaceRootQdisc: true to have it replaced while the agent runs and restored afterwards",
		e.Interface, e.Kind, e.Handle)
}

// takeRoot makes room for a root of ours. It returns what to restore afterwards, nil for nothing. A root of ours,
// left by an agent that was killed, is removed.
func (c *Conn) takeRoot(name string, ifindex int, replace bool) (*SavedRoot, error) {
	found, err := c.readRoot(ifindex)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	device, err := netlink.LinkByIndex(ifindex)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	hasNoQueueLength := device.Attrs().TxQLen == 0
	switch found.handle {
	case 0: // the kernel's default, recreated when ours goes
		if hasNoQueueLength {
			return &SavedRoot{NoQueueLength: true}, nil
		}
		return nil, nil
	case Handle:
		return nil, c.deleteRoot(ifindex)
	}
	refusal := &ForeignRootError{Interface: name, Kind: found.kind, Handle: handleName(found.handle)}
	classes, err := c.allClassStats(ifindex)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(classes) > 0 && !classlessWithClasses[found.kind] {
		refusal.Irreplaceable = true
		return nil, refusal
	}
	if !replace {
		return nil, refusal
	}
	return &SavedRoot{found.kind, found.handle, found.options, hasNoQueueLength}, nil
}

// classlessWithClasses lists qdiscs that show their inner queues as classes.
var classlessWithClasses = map[string]bool{
	"fq_codel": true, "sfq": true, "tbf": true, "mq": true, "cake": true, "red": true,
}

// Release removes a root qdisc of ours and puts back what was there. Removing nothing is fine: a device that is
// gone, or goes meanwhile, took its root along.
func (c *Conn) Release(ifindex int, saved *SavedRoot) error {
	if err := c.release(ifindex, saved); !errors.Is(err, unix.ENODEV) {
		return err
	}
	return nil
}

func (c *Conn) release(ifindex int, saved *SavedRoot) error {
	found, err := c.readRoot(ifindex)
	if err != nil {
		return err
	}
	if found.handle == Handle {
		if err := c.deleteRoot(ifindex); err != nil {
			return err
		}
	}
	if saved == nil {
		return nil
	}
	if saved.Kind != "" && found.handle != saved.Handle {
		if err := c.restoreRoot(ifindex, saved); err != nil {
			return err
		}
	}
	if saved.NoQueueLength {
		device := &netlink.GenericLink{LinkAttrs: netlink.LinkAttrs{Index: ifindex}}
		if err := netlink.LinkSetTxQLen(device, 0); err != nil {
			return fmt.Errorf("restore txqueuelen 0: %w", err)
		}
	}
	return nil
}

func (c *Conn) restoreRoot(ifindex int, saved *SavedRoot) error {
	message := nl.TcMsg{Ifindex: int32(ifindex), Handle: saved.Handle, Parent: rootParent}
	attributes := []*nl.RtAttr{kindAttribute(saved.Kind)}
	if len(saved.Options) > 0 {
		attributes = append(attributes, nl.NewRtAttr(nl.TCA_OPTIONS, saved.Options))
	}
	flags := uint16(unix.NLM_F_CREATE | unix.NLM_F_REPLACE | unix.NLM_F_ACK)
	if err := c.request(unix.RTM_NEWQDISC, flags, message, attributes, nil); err != nil {
		return fmt.Errorf("restore root qdisc %s %s: %w", saved.Kind, handleName(saved.Handle), err)
	}
	return nil
}
