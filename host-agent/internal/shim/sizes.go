// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Layout of struct flow.levelled in bpf/size.h.
const (
	levelledBytes = 1<<56 - 1
	reportedShift = 56
	mostEpoch     = 15
	endedFlag     = 1 << 60
)

// flowKeyBytes is sizeof(struct flow_key).
const flowKeyBytes = 2*addressBytes + 8

// announcements are how many large flows of an endpoint the programs announce.
var announcements = htb.Police{BytesPerSecond: 100, Depth: 2 * time.Second}

// FlowKey names a flow from its endpoint's side.
type FlowKey struct{ key bpfFlowKey }

// FlowKeyOf makes one.
func FlowKeyOf(endpoint int, protocol uint8, flow model.FlowID) FlowKey {
	return FlowKey{bpfFlowKey{
		Local: toAddress(flow.Source), Remote: toAddress(flow.Destination), LocalPort: flow.SourcePort,
		RemotePort: flow.DestinationPort, Endpoint: uint16(endpoint), Protocol: protocol,
	}}
}

// flowKeyFrom reads struct flow_key; body has flowKeyBytes.
func flowKeyFrom(body []byte) FlowKey {
	address := func(at int) netip.Addr { return netip.AddrFrom16([addressBytes]byte(body[at:])) }
	ports := body[2*addressBytes:]
	return FlowKeyOf(int(binary.NativeEndian.Uint16(ports[4:])), ports[6], model.FlowID{
		Source: address(0), SourcePort: binary.NativeEndian.Uint16(ports),
		Destination: address(addressBytes), DestinationPort: binary.NativeEndian.Uint16(ports[2:]),
	})
}

// Endpoint is the index of the one that sends.
func (k FlowKey) Endpoint() int { return int(k.key.Endpoint) }

// Flow is the flow's addresses and ports.
func (k FlowKey) Flow() model.FlowID {
	return model.FlowID{
		Source: fromAddress(k.key.Local), SourcePort: k.key.LocalPort,
		Destination: fromAddress(k.key.Remote), DestinationPort: k.key.RemotePort,
	}
}

// ReportSizes has the programs announce flows that become large (Event.Large), and count those that end, or ends that.
func (s *Shim) ReportSizes(on bool) {
	epoch := &s.state.At(0).Levels.SizesEpoch
	if !on {
		s.sizesEpoch = *epoch
		atomic.StoreUint64(epoch, 0)
	} else if *epoch == 0 {
		atomic.StoreUint64(epoch, s.sizesEpoch%mostEpoch+1) // flows that were announced before are announced again
	}
}

// SizedFlow is a flow that the programs announced.
type SizedFlow struct {
	SentBytes uint64 // since it began
	LastNanos int64  // when it sent last
	// Ended by a FIN or a RST.
	Ended bool
}

// SizeReader reads flows of one endpoint.
type SizeReader interface {
	// SizeOf reads a flow; false: it has been forgotten, or begun anew.
	SizeOf(key FlowKey) (SizedFlow, bool)
}

type sizeReader struct {
	flows *ebpf.Map
	epoch uint64
}

func (r sizeReader) SizeOf(key FlowKey) (SizedFlow, bool) {
	var flow bpfFlow
	if err := r.flows.Lookup(key.key, &flow); err != nil {
		return SizedFlow{}, false
	}
	return SizedFlow{
		SentBytes: flow.Levelled & levelledBytes, LastNanos: int64(flow.LastNanos), Ended: flow.Levelled&endedFlag != 0,
	}, flow.Levelled>>reportedShift&mostEpoch == r.epoch
}

// ReadSizes calls read with what reads flows of an endpoint.
func (s *Shim) ReadSizes(endpoint int, read func(SizeReader)) error {
	var flows *ebpf.Map
	if err := s.objects.FlowTables.Lookup(uint32(endpoint), &flows); err != nil {
		return fmt.Errorf("endpoint %d: table of flows: %w", endpoint, err)
	}
	defer flows.Close()
	read(sizeReader{flows, atomic.LoadUint64(&s.state.At(0).Levels.SizesEpoch)})
	return nil
}

// EndedFlows adds up how many flows of which size have ended that the programs did not announce.
func (s *Shim) EndedFlows(into *model.FlowSizeCounts) error {
	var each []bpfFlowSizes
	if err := s.objects.EndedFlows.Lookup(uint32(0), &each); err != nil {
		return fmt.Errorf("ended flows: %w", err)
	}
	*into = model.FlowSizeCounts{}
	for _, cpu := range each {
		for bin, count := range cpu.Counts {
			into[bin] += count
		}
	}
	return nil
}
