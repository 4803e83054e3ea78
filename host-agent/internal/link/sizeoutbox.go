// SPDX-License-Identifier: Apache-2.0

package link

import (
	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// maxWaitingSizes bounds the large flows that wait for a slow controller; of those beyond it the samples are dropped.
const maxWaitingSizes = 4096

// sizeOutbox has the sizes of flows that wait for one controller: of a large flow the latest, of those that ended the
// sum. Not safe for concurrent use.
type sizeOutbox struct {
	watching bool
	large    []model.LargeFlow
	at       map[model.FlowID]int
	ended    model.FlowSizeCounts
	some     bool
}

// watch begins or ends the reports.
func (o *sizeOutbox) watch(on bool) { *o = sizeOutbox{watching: on, at: map[model.FlowID]int{}} }

// add returns how many samples it dropped for want of room.
func (o *sizeOutbox) add(sizes model.FlowSizes) (dropped uint64) {
	if !o.watching {
		return 0
	}
	o.some = true
	o.ended.AddAll(&sizes.Ended)
	for _, flow := range sizes.Large {
		if at, waits := o.at[flow.Flow]; waits {
			o.large[at] = flow
		} else if len(o.large) < maxWaitingSizes {
			o.at[flow.Flow] = len(o.large)
			o.large = append(o.large, flow)
		} else {
			dropped++
		}
	}
	return dropped
}

// take empties the outbox; false if nothing waits.
func (o *sizeOutbox) take() (model.FlowSizes, bool) {
	taken, some := model.FlowSizes{Large: o.large, Ended: o.ended}, o.some
	o.watch(o.watching)
	return taken, some
}

// WatchFlowSizes begins or ends the reports of flows' sizes.
func (c *Client) WatchFlowSizes(on bool) {
	for _, to := range c.controllers {
		to.outbox.watchSizes(on)
	}
}

// ObserveFlowSizes reports sizes of flows to the controllers. It never blocks: for a slow controller of large flows the
// latest are kept, and what ended is added up.
func (c *Client) ObserveFlowSizes(sizes model.FlowSizes) {
	for _, to := range c.controllers {
		to.outbox.observeSizes(sizes)
	}
}

func (o *outbox) watchSizes(on bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sizes.watch(on)
}

// observeSizes adds sizes to those that wait; without a session they are discarded.
func (o *outbox) observeSizes(sizes model.FlowSizes) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open {
		return
	}
	o.droppedSamples += o.sizes.add(sizes)
	o.signal()
}

// takeSizes empties the outbox of sizes; false if there are none.
func (o *outbox) takeSizes() (model.FlowSizes, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.sizes.some {
		return model.FlowSizes{}, false
	}
	return o.sizes.take()
}

func flowSizesOf(sizes model.FlowSizes) *pb.FlowSizes {
	message := &pb.FlowSizes{}
	for _, flow := range sizes.Large {
		message.Large = append(message.Large, &pb.LargeFlow{
			Flow: flowIDOf(flow.Flow), SentBytes: flow.SentBytes, Ended: flow.Ended,
		})
	}
	for bin, flows := range sizes.Ended {
		if flows > 0 {
			message.Ended = append(message.Ended, &pb.EndedFlows{Bytes: sizes.Ended.LargestOf(bin), Flows: flows})
		}
	}
	return message
}
