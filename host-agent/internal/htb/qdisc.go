// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

const (
	htbVersion   = 3
	rate2Quantum = 10 // unused: every class names its quantum
	rootParent   = 0xffffffff
)

// Kinds of a class's queue: bfifo counts bytes, pfifo packets, and the flows of the third take turns.
const (
	fifoBytes   = "bfifo"
	fifoPackets = "pfifo"
	fairKind    = "fq_codel"
)

func kindAttribute(kind string) *nl.RtAttr {
	return nl.NewRtAttr(nl.TCA_KIND, nl.ZeroTerminated(kind))
}

func (c *Conn) addRoot(ifindex int, handle, defaultClass uint32) error {
	options := nl.NewRtAttr(nl.TCA_OPTIONS, nil)
	global := nl.TcHtbGlob{Version: htbVersion, Rate2Quantum: rate2Quantum, Defcls: defaultClass & 0xffff}
	options.AddRtAttr(nl.TCA_HTB_INIT, global.Serialize())
	message := nl.TcMsg{Ifindex: int32(ifindex), Handle: handle, Parent: rootParent}
	flags := uint16(unix.NLM_F_CREATE | unix.NLM_F_REPLACE | unix.NLM_F_ACK)
	err := c.request(unix.RTM_NEWQDISC, flags, message, []*nl.RtAttr{kindAttribute("htb"), options}, nil)
	if err != nil {
		return fmt.Errorf("add HTB root: %w", err)
	}
	return nil
}

// putFifo adds a leaf's queue, or changes its limit (bytes or packets, by kind).
func (c *Conn) putFifo(ifindex int, parent uint32, kind string, limit uint32) error {
	message := nl.TcMsg{Ifindex: int32(ifindex), Parent: parent, Handle: leafHandle(parent)}
	attributes := []*nl.RtAttr{kindAttribute(kind), nl.NewRtAttr(nl.TCA_OPTIONS, nl.Uint32Attr(limit))}
	err := c.request(unix.RTM_NEWQDISC, unix.NLM_F_CREATE|unix.NLM_F_ACK, message, attributes, nil)
	if err != nil {
		return fmt.Errorf("%s at class %s: %w", kind, handleName(parent), err)
	}
	return nil
}

// Attributes of fq_codel (include/uapi/linux/pkt_sched.h).
const (
	fairTarget      = 1
	fairPackets     = 2
	fairFlows       = 5
	fairBatch       = 8
	fairMemoryLimit = 9
)

const (
	// fairLeafFlows have queues of their own, if their hashes do not collide: 8 KB of the kernel's memory a leaf.
	fairLeafFlows = 128
	// noDelayControl is longer than anything waits in a leaf: windows keep its queue short, CoDel's drops would
	// break what the class carries.
	noDelayControl = uint32(time.Hour / time.Microsecond)
	// fairFrames is how many times its bytes a leaf holds of full frames: of small ones it shall hold more than a
	// few, and Linux 7.3 does not hold it to its memory.
	fairFrames = 2
	// truesizePart is about how much more of the kernel's memory a frame takes than its bytes: 1.5 to 2.7.
	truesizePart = 2
)

// putFairQueue adds a leaf whose flows take turns (RFC 8290, without its delay control), or changes its limit.
// ENOENT: the kernel has no such queue.
func (c *Conn) putFairQueue(ifindex int, parent uint32, limitBytes uint32) error {
	limits := []*nl.RtAttr{
		nl.NewRtAttr(fairTarget, nl.Uint32Attr(noDelayControl)),
		nl.NewRtAttr(fairPackets, nl.Uint32Attr(fairFrames*(limitBytes/FrameBytes(usualMTU)+1))),
		nl.NewRtAttr(fairBatch, nl.Uint32Attr(1)),
		nl.NewRtAttr(fairMemoryLimit, nl.Uint32Attr(uint32(min(truesizePart*uint64(limitBytes), math.MaxUint32)))),
	}
	message := nl.TcMsg{Ifindex: int32(ifindex), Parent: parent, Handle: leafHandle(parent)}
	put := func(flags uint16, attributes []*nl.RtAttr) error {
		options := nl.NewRtAttr(nl.TCA_OPTIONS, nil)
		for _, attribute := range attributes {
			options.AddChild(attribute)
		}
		all := []*nl.RtAttr{kindAttribute(fairKind), options}
		return c.request(unix.RTM_NEWQDISC, flags|unix.NLM_F_ACK, message, all, nil)
	}
	// How many flows there are cannot be changed, nor named again.
	flows := nl.NewRtAttr(fairFlows, nl.Uint32Attr(fairLeafFlows))
	err := put(unix.NLM_F_CREATE|unix.NLM_F_EXCL, append(limits, flows))
	if errors.Is(err, unix.EEXIST) {
		err = put(0, limits)
	}
	if err != nil {
		return fmt.Errorf("%s at class %s: %w", fairKind, handleName(parent), err)
	}
	return nil
}

// leafStats reads the queue of a class: packets that a fair queue drops of other flows than the one that comes are no
// drops of its class's.
func (c *Conn) leafStats(ifindex int, class uint32) (Stats, error) {
	var found Stats
	message := nl.TcMsg{Ifindex: int32(ifindex), Parent: class}
	err := c.request(unix.RTM_GETQDISC, unix.NLM_F_ECHO, message, nil, func(payload []byte) error {
		stats, err := parseStats(payload)
		found = stats
		return err
	})
	if err != nil {
		return Stats{}, fmt.Errorf("read the queue of class %s: %w", handleName(class), err)
	}
	if found.Handle != leafHandle(class) {
		return Stats{}, fmt.Errorf("read the queue of class %s: the kernel gave no answer", handleName(class))
	}
	return found, nil
}

// leafHandle numbers a leaf's qdisc after its class, so that it can be found again.
func leafHandle(class uint32) uint32 { return class << 16 }

func (c *Conn) deleteRoot(ifindex int) error {
	message := nl.TcMsg{Ifindex: int32(ifindex), Parent: rootParent}
	err := c.request(unix.RTM_DELQDISC, unix.NLM_F_ACK, message, nil, nil)
	// ENOENT: there was only the kernel's default, which cannot be deleted.
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("delete root qdisc: %w", err)
	}
	return nil
}

// root is a device's root qdisc as the kernel reports it.
type root struct {
	kind    string
	handle  uint32
	options []byte
	stats   Stats
}

func (c *Conn) readRoot(ifindex int) (root, error) {
	var found root
	message := nl.TcMsg{Ifindex: int32(ifindex)}
	err := c.request(unix.RTM_GETQDISC, unix.NLM_F_DUMP, message, nil, func(payload []byte) error {
		parsed, isRoot, err := parseRoot(payload, ifindex)
		if isRoot {
			found = parsed
		}
		return err
	})
	if err != nil {
		return root{}, fmt.Errorf("read root qdisc: %w", err)
	}
	return found, nil
}

// parseRoot reads a qdisc's message; isRoot: it is the device's root.
func parseRoot(payload []byte, ifindex int) (parsed root, isRoot bool, err error) {
	stats, err := parseStats(payload)
	if err != nil {
		return root{}, false, err
	}
	header := nl.DeserializeTcMsg(payload)
	if int(header.Ifindex) != ifindex || header.Parent != rootParent {
		return root{}, false, nil
	}
	attributes, err := attributesOf(payload[nl.SizeofTcMsg:])
	return root{
		kind:    text(attributes[nl.TCA_KIND]),
		handle:  header.Handle,
		options: append([]byte(nil), attributes[nl.TCA_OPTIONS]...),
		stats:   stats,
	}, err == nil, err
}
