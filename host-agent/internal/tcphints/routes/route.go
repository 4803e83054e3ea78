// SPDX-License-Identifier: Apache-2.0

package routes

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// protocol marks routes that are ours (rtm_protocol): numbers above 4 that no daemon of /etc/iproute2/rt_protos has.
const protocol = 206

// nextHopObject is RTA_NH_ID.
const nextHopObject = 30

// expiresOffset is that of rta_expires in struct rta_cacheinfo.
const expiresOffset = 8

// typeMask takes the flags off the type of an attribute.
const typeMask = 0x3fff

// Values are the metrics of a route that hints set; zero: the route does not set it.
type Values struct {
	InitialWindowSegments uint32 `json:"initialWindowSegments,omitempty"`
	RtoMinMillis          uint32 `json:"rtoMinMillis,omitempty"`
	// RtoMinLocked: the kernel heeds RtoMinMillis only then.
	RtoMinLocked      bool   `json:"rtoMinLocked,omitempty"`
	CongestionControl string `json:"congestionControl,omitempty"`
}

// over are values with those of hints in the place of a route's own.
func (v Values) over(own Values) Values {
	if v.InitialWindowSegments == 0 {
		v.InitialWindowSegments = own.InitialWindowSegments
	}
	if v.RtoMinMillis == 0 {
		v.RtoMinMillis, v.RtoMinLocked = own.RtoMinMillis, own.RtoMinLocked
	}
	if v.CongestionControl == "" {
		v.CongestionControl = own.CongestionControl
	}
	return v
}

// Key is what the kernel takes one route of a table for.
type Key struct {
	Destination netip.Prefix `json:"destination"`
	Service     uint8        `json:"service,omitempty"` // type of service
	Priority    uint32       `json:"priority,omitempty"`
}

type attribute struct {
	kind  uint16
	value []byte
}

// route is one of the main table's, as the kernel lists it. All that it has but the metrics that hints set is kept
// as it is, known here or not.
type route struct {
	key        Key
	header     unix.RtMsg
	attributes []attribute // but for metrics
	metrics    []attribute // but for those of values
	locks      uint32      // bits of further metrics that are locked
	values     Values
	// expires: the kernel removes it by itself.
	expires bool
}

func (r *route) isOurs() bool { return r.header.Protocol == protocol }

// isUsable reports whether packets can be sent by it: unreachable, blackhole and the like have no connections.
func (r *route) isUsable() bool { return r.header.Type == unix.RTN_UNICAST }

// parseRoute reads an answer to RTM_GETROUTE; false if it is no route of the main table.
func parseRoute(message []byte) (*route, bool, error) {
	if len(message) < unix.SizeofRtMsg {
		return nil, false, fmt.Errorf("route of %d bytes", len(message))
	}
	r := &route{header: nl.DeserializeRtMsg(message).RtMsg}
	found, err := nl.ParseRouteAttr(message[unix.SizeofRtMsg:])
	if err != nil {
		return nil, false, fmt.Errorf("route: %w", err)
	}
	table := uint32(r.header.Table)
	address := netip.IPv4Unspecified()
	if r.header.Family == unix.AF_INET6 {
		address = netip.IPv6Unspecified()
	}
	for _, one := range found {
		kind := one.Attr.Type & typeMask
		switch kind {
		case unix.RTA_TABLE:
			table = binary.NativeEndian.Uint32(one.Value)
		case unix.RTA_DST:
			address, _ = netip.AddrFromSlice(one.Value)
		case unix.RTA_PRIORITY:
			r.key.Priority = binary.NativeEndian.Uint32(one.Value)
		case unix.RTA_METRICS:
			if err := r.parseMetrics(one.Value); err != nil {
				return nil, false, err
			}
			continue
		case unix.RTA_CACHEINFO:
			if len(one.Value) >= expiresOffset+4 {
				r.expires = binary.NativeEndian.Uint32(one.Value[expiresOffset:]) != 0
			}
			continue // the others are counters
		}
		r.attributes = append(r.attributes, attribute{one.Attr.Type, one.Value})
	}
	r.key.Destination = netip.PrefixFrom(address, int(r.header.Dst_len))
	r.key.Service = r.header.Tos
	return r, table == unix.RT_TABLE_MAIN && r.header.Flags&unix.RTM_F_CLONED == 0, nil
}

func (r *route) parseMetrics(value []byte) error {
	metrics, err := nl.ParseRouteAttr(value)
	if err != nil {
		return fmt.Errorf("metrics of a route: %w", err)
	}
	for _, one := range metrics {
		switch one.Attr.Type & typeMask {
		case unix.RTAX_INITCWND:
			r.values.InitialWindowSegments = binary.NativeEndian.Uint32(one.Value)
		case unix.RTAX_RTO_MIN:
			r.values.RtoMinMillis = binary.NativeEndian.Uint32(one.Value)
		case unix.RTAX_CC_ALGO:
			r.values.CongestionControl = nl.BytesToString(one.Value)
		case unix.RTAX_LOCK:
			r.locks = binary.NativeEndian.Uint32(one.Value)
		default:
			r.metrics = append(r.metrics, attribute{one.Attr.Type, one.Value})
		}
	}
	r.values.RtoMinLocked = r.locks&(1<<unix.RTAX_RTO_MIN) != 0
	r.locks &^= 1 << unix.RTAX_RTO_MIN
	return nil
}

// with is the route with other values.
func (r *route) with(values Values) *route {
	changed := *r
	changed.values = values
	return &changed
}

// towards is a route of ours to some of its destinations.
func (r *route) towards(destination netip.Prefix, values Values) *route {
	own := r.with(values)
	own.key.Destination = destination
	own.header.Dst_len, own.header.Protocol = uint8(destination.Bits()), protocol
	own.attributes = slices.DeleteFunc(slices.Clone(r.attributes), func(a attribute) bool { return a.kind&typeMask == unix.RTA_DST })
	if destination.Bits() > 0 {
		own.attributes = append(own.attributes, attribute{unix.RTA_DST, destination.Addr().AsSlice()})
	}
	return own
}

// equal reports whether two routes are equal.
func (r *route) equal(other *route) bool {
	return r.key == other.key && r.values == other.values && r.locks == other.locks &&
		r.header.Protocol == other.header.Protocol && r.header.Scope == other.header.Scope && r.header.Type == other.header.Type &&
		sameAttributes(r.attributes, other.attributes) && sameAttributes(r.metrics, other.metrics)
}

func sameAttributes(a, b []attribute) bool {
	byKind := func(x, y attribute) int { return cmp.Compare(x.kind, y.kind) }
	a, b = slices.SortedFunc(slices.Values(a), byKind), slices.SortedFunc(slices.Values(b), byKind)
	return slices.EqualFunc(a, b, func(x, y attribute) bool { return x.kind == y.kind && bytes.Equal(x.value, y.value) })
}

// request makes a message about it.
func (r *route) request(kind, flags int) *nl.NetlinkRequest {
	request := nl.NewNetlinkRequest(kind, flags|unix.NLM_F_ACK)
	header := r.header
	header.Flags &= unix.RTNH_F_ONLINK // the others are the kernel's state of it
	request.AddData(&nl.RtMsg{RtMsg: header})
	hasObject := slices.ContainsFunc(r.attributes, func(a attribute) bool { return a.kind&typeMask == nextHopObject })
	for _, one := range r.attributes {
		if hasObject && isOfNextHop(one.kind&typeMask) {
			continue // listed for the reader, refused beside the object
		}
		value := one.value
		if one.kind&typeMask == unix.RTA_MULTIPATH {
			value = withoutState(value)
		}
		request.AddData(nl.NewRtAttr(int(one.kind), value))
	}
	if metrics := r.metricsAttribute(); metrics != nil {
		request.AddData(metrics)
	}
	return request
}

func isOfNextHop(kind uint16) bool {
	switch kind {
	case unix.RTA_OIF, unix.RTA_GATEWAY, unix.RTA_MULTIPATH, unix.RTA_VIA, unix.RTA_ENCAP, unix.RTA_ENCAP_TYPE:
		return true
	}
	return false
}

// flagsOffset is that of rtnh_flags in struct rtnexthop.
const flagsOffset = 2

// withoutState removes the kernel's state of several next hops.
func withoutState(multipath []byte) []byte {
	hops := bytes.Clone(multipath)
	for at := 0; at+unix.SizeofRtNexthop <= len(hops); {
		hops[at+flagsOffset] &= unix.RTNH_F_ONLINK
		length := int(binary.NativeEndian.Uint16(hops[at:]))
		if length < unix.SizeofRtNexthop {
			break
		}
		at += (length + unix.RTA_ALIGNTO - 1) &^ (unix.RTA_ALIGNTO - 1)
	}
	return hops
}

func (r *route) metricsAttribute() *nl.RtAttr {
	metrics := nl.NewRtAttr(unix.RTA_METRICS, nil)
	count := len(r.metrics)
	for _, one := range r.metrics {
		metrics.AddRtAttr(int(one.kind), one.value)
	}
	number := func(kind int, value uint32) {
		if value != 0 {
			metrics.AddRtAttr(kind, nl.Uint32Attr(value))
			count++
		}
	}
	locks := r.locks
	if r.values.RtoMinLocked {
		locks |= 1 << unix.RTAX_RTO_MIN
	}
	number(unix.RTAX_LOCK, locks)
	number(unix.RTAX_INITCWND, r.values.InitialWindowSegments)
	number(unix.RTAX_RTO_MIN, r.values.RtoMinMillis)
	if r.values.CongestionControl != "" {
		metrics.AddRtAttr(unix.RTAX_CC_ALGO, nl.ZeroTerminated(r.values.CongestionControl))
		count++
	}
	if count == 0 {
		return nil
	}
	return metrics
}
