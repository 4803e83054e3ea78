// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

const (
	// kernelTickNanos is the unit of HTB's buffers (PSCHED_SHIFT 6).
	kernelTickNanos = 64
	// linkLayerEthernet has the kernel compute times itself instead of by a rate table.
	linkLayerEthernet = 1
	nanosPerSecond    = 1e9
	bitsPerByte       = 8
)

// class is one HTB class as it should be.
type class struct {
	parent  uint32
	handle  uint32
	rate    uint64 // bit/s of its own
	ceiling uint64 // bit/s with what it borrows
	// burstBytes may be sent at once at its own rate, ceilingBurstBytes with what it borrows.
	burstBytes, ceilingBurstBytes uint32
	// quantumBytes is its turn among those who borrow from the same ancestor.
	quantumBytes uint32
	// priority among them: the lowest goes first.
	priority uint32
}

func (c class) attributes() []*nl.RtAttr {
	options := nl.NewRtAttr(nl.TCA_OPTIONS, nil)
	parameters := nl.TcHtbCopt{
		Rate:    rateSpec(c.rate),
		Ceil:    rateSpec(c.ceiling),
		Buffer:  ticks(c.burstBytes, c.rate),
		Cbuffer: ticks(c.ceilingBurstBytes, c.ceiling),
		Quantum: c.quantumBytes,
		Prio:    c.priority,
	}
	options.AddRtAttr(nl.TCA_HTB_PARMS, parameters.Serialize())
	if bytes := c.rate / bitsPerByte; bytes > math.MaxUint32 {
		options.AddRtAttr(nl.TCA_HTB_RATE64, nl.Uint64Attr(bytes))
	}
	if bytes := c.ceiling / bitsPerByte; bytes > math.MaxUint32 {
		options.AddRtAttr(nl.TCA_HTB_CEIL64, nl.Uint64Attr(bytes))
	}
	return []*nl.RtAttr{nl.NewRtAttr(nl.TCA_KIND, nl.ZeroTerminated("htb")), options}
}

func rateSpec(bitsPerSecond uint64) nl.TcRateSpec {
	return nl.TcRateSpec{
		Linklayer: linkLayerEthernet,
		Rate:      uint32(min(bitsPerSecond/bitsPerByte, math.MaxUint32)),
	}
}

// ticks is how long a burst lasts at a rate, in the kernel's unit.
func ticks(bytes uint32, bitsPerSecond uint64) uint32 {
	nanos := float64(bytes) * bitsPerByte * nanosPerSecond / float64(max(bitsPerSecond, bitsPerByte))
	return uint32(min(max(nanos/kernelTickNanos, 1), math.MaxUint32))
}

// existing is a class as the kernel has it.
type existing struct {
	parent  uint32
	rate    uint64 // bit/s
	ceiling uint64 // bit/s
}

// allClasses reads every class of our root qdisc of a device. Those of its leaves' queues are their flows.
func (c *Conn) allClasses(ifindex int) (map[uint32]existing, error) {
	all := map[uint32]existing{}
	message := nl.TcMsg{Ifindex: int32(ifindex), Parent: Handle}
	err := c.request(unix.RTM_GETTCLASS, unix.NLM_F_DUMP, message, nil, func(payload []byte) error {
		handle, found, err := parseClass(payload)
		all[handle] = found
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read classes: %w", err)
	}
	return all, nil
}

func parseClass(payload []byte) (handle uint32, found existing, err error) {
	if len(payload) < nl.SizeofTcMsg {
		return 0, existing{}, fmt.Errorf("netlink: short message of %d bytes", len(payload))
	}
	header := nl.DeserializeTcMsg(payload)
	found.parent = header.Parent
	if found.parent == rootParent {
		found.parent = header.Handle &^ 0xffff // the qdisc itself, as it is named when a class is made
	}
	attributes, err := attributesOf(payload[nl.SizeofTcMsg:])
	if err != nil {
		return 0, existing{}, err
	}
	options, err := attributesOf(attributes[nl.TCA_OPTIONS])
	if err != nil {
		return 0, existing{}, err
	}
	if parameters := options[nl.TCA_HTB_PARMS]; len(parameters) >= nl.SizeofTcHtbCopt {
		of := nl.DeserializeTcHtbCopt(parameters)
		found.rate, found.ceiling = uint64(of.Rate.Rate)*bitsPerByte, uint64(of.Ceil.Rate)*bitsPerByte
	}
	if wide := options[nl.TCA_HTB_RATE64]; len(wide) >= 8 {
		found.rate = binary.NativeEndian.Uint64(wide) * bitsPerByte
	}
	if wide := options[nl.TCA_HTB_CEIL64]; len(wide) >= 8 {
		found.ceiling = binary.NativeEndian.Uint64(wide) * bitsPerByte
	}
	return header.Handle, found, nil
}

func (c *Conn) addClass(ifindex int, spec class) error {
	return c.putClass(ifindex, unix.NLM_F_CREATE|unix.NLM_F_EXCL, spec, "add")
}

func (c *Conn) changeClass(ifindex int, spec class) error {
	return c.putClass(ifindex, 0, spec, "change")
}

func (c *Conn) putClass(ifindex int, flags uint16, spec class, verb string) error {
	message := nl.TcMsg{Ifindex: int32(ifindex), Handle: spec.handle, Parent: spec.parent}
	err := c.request(unix.RTM_NEWTCLASS, flags|unix.NLM_F_ACK, message, spec.attributes(), nil)
	if err != nil {
		return fmt.Errorf("%s HTB class %s: %w", verb, handleName(spec.handle), err)
	}
	return nil
}

func (c *Conn) deleteClass(ifindex int, handle uint32) error {
	message := nl.TcMsg{Ifindex: int32(ifindex), Handle: handle}
	if err := c.request(unix.RTM_DELTCLASS, unix.NLM_F_ACK, message, nil, nil); err != nil {
		return fmt.Errorf("delete HTB class %s: %w", handleName(handle), err)
	}
	return nil
}

// Stats are a class's counters since it was made, and its queue now.
type Stats struct {
	Handle         uint32
	SentBytes      uint64
	SentPackets    uint64
	DroppedPackets uint64
	BacklogBytes   uint64
	BacklogPackets uint64
}

// classStats reads one class: some tens of microseconds.
func (c *Conn) classStats(ifindex int, handle uint32) (Stats, error) {
	var found Stats
	message := nl.TcMsg{Ifindex: int32(ifindex), Handle: handle}
	// Without the echo the kernel notifies only subscribers. An acknowledgement beside it would be read for nothing.
	err := c.request(unix.RTM_GETTCLASS, unix.NLM_F_ECHO, message, nil, func(payload []byte) error {
		stats, err := parseStats(payload)
		found = stats
		return err
	})
	if err != nil {
		return Stats{}, fmt.Errorf("read HTB class %s: %w", handleName(handle), err)
	}
	if found.Handle != handle {
		return Stats{}, fmt.Errorf("read HTB class %s: the kernel gave no answer", handleName(handle))
	}
	return found, nil
}

// allClassStats reads every class of a device's root qdisc.
func (c *Conn) allClassStats(ifindex int) ([]Stats, error) {
	var all []Stats
	message := nl.TcMsg{Ifindex: int32(ifindex)}
	err := c.request(unix.RTM_GETTCLASS, unix.NLM_F_DUMP, message, nil, func(payload []byte) error {
		stats, err := parseStats(payload)
		all = append(all, stats)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read classes: %w", err)
	}
	return all, nil
}

// parseStats reads a qdisc's or class's message: gnet_stats_basic and gnet_stats_queue.
func parseStats(payload []byte) (Stats, error) {
	if len(payload) < nl.SizeofTcMsg {
		return Stats{}, fmt.Errorf("netlink: short message of %d bytes", len(payload))
	}
	stats := Stats{Handle: nl.DeserializeTcMsg(payload).Handle}
	attributes, err := attributesOf(payload[nl.SizeofTcMsg:])
	if err != nil {
		return stats, err
	}
	nested, err := attributesOf(attributes[nl.TCA_STATS2])
	if err != nil {
		return stats, err
	}
	if basic := nested[nl.TCA_STATS_BASIC]; len(basic) >= 12 {
		stats.SentBytes = binary.NativeEndian.Uint64(basic)
		stats.SentPackets = uint64(binary.NativeEndian.Uint32(basic[8:]))
	}
	if wide := nested[nl.TCA_STATS_PKT64]; len(wide) >= 8 {
		stats.SentPackets = binary.NativeEndian.Uint64(wide)
	}
	if queue := nested[nl.TCA_STATS_QUEUE]; len(queue) >= 12 {
		stats.BacklogPackets = uint64(binary.NativeEndian.Uint32(queue))
		stats.BacklogBytes = uint64(binary.NativeEndian.Uint32(queue[4:]))
		stats.DroppedPackets = uint64(binary.NativeEndian.Uint32(queue[8:]))
	}
	return stats, nil
}

func handleName(handle uint32) string {
	return fmt.Sprintf("%x:%x", handle>>16, handle&0xffff)
}
