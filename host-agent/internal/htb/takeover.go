// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"fmt"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Handle is the major number of every root qdisc that the agent makes: how it recognizes its own.
const Handle uint32 = 0x51ce0000

// SavedRoot is a foreign root qdisc that was replaced, enough to put it back.
type SavedRoot struct {
	Kind    string `json:"kind"`
	Handle  uint32 `json:"handle"`
	Options []byte `json:"options,omitempty"`
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

// takeRoot makes room for a root of ours. It returns what to restore afterwards, nil when the
// device had only the kernel's default. A root of ours, left by an agent that was killed, is
// removed.
func (c *Conn) takeRoot(name string, ifindex int, replace bool) (*SavedRoot, error) {
	found, err := c.readRoot(ifindex)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch found.handle {
	case 0: // the kernel's default, recreated when ours goes
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
	return &SavedRoot{Kind: found.kind, Handle: found.handle, Options: found.options}, nil
}

// classlessWithClasses lists qdiscs that show their inner queues as classes.
var classlessWithClasses = map[string]bool{
	"fq_codel": true, "sfq": true, "tbf": true, "mq": true, "cake": true, "red": true,
}

// Release removes a root qdisc of ours and puts back what was there. Removing nothing is fine.
func (c *Conn) Release(ifindex int, saved *SavedRoot) error {
	found, err := c.readRoot(ifindex)
	if err != nil {
		return err
	}
	if found.handle == Handle {
		if err := c.deleteRoot(ifindex); err != nil {
			return err
		}
	}
	if saved == nil || found.handle == saved.Handle {
		return nil
	}
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
