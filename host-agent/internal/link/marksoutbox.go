// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"math"
	"net/netip"
	"time"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// marksInterval is the least time between two reports of marks.
	marksInterval = time.Millisecond
	// maxMarkedPairs are as many as a message of a controller has.
	maxMarkedPairs = 8192
)

// marksOutbox has the marks that wait to be passed on by one controller: of each pair the newest totals. The zero
// value takes none. Not safe for concurrent use.
type marksOutbox struct {
	// relayed: the session's controller passes them on.
	relayed   bool
	waiting   map[model.Pair]model.Feedback
	sentNanos int64
}

func newMarksOutbox() marksOutbox {
	return marksOutbox{relayed: true, waiting: map[model.Pair]model.Feedback{}, sentNanos: math.MinInt64 / 2}
}

// add reports whether the marks will be passed on.
func (o *marksOutbox) add(marks []model.Feedback) bool {
	if !o.relayed {
		return false
	}
	for _, one := range marks {
		o.waiting[one.Pair] = one
	}
	return true
}

// take takes what waits, but not before its time: then due is when to call again, 0 if nothing waits.
func (o *marksOutbox) take(nowNanos int64) (taken map[model.Pair]model.Feedback, due int64) {
	if len(o.waiting) == 0 {
		return nil, 0
	}
	if due = o.sentNanos + marksInterval.Nanoseconds(); nowNanos < due {
		return nil, due
	}
	taken, o.waiting, o.sentNanos = o.waiting, map[model.Pair]model.Feedback{}, nowNanos
	return taken, 0
}

// ReturnMarks has controllers pass marks on to the agents of their pairs' sources; false if none can. It never
// blocks: a slow controller receives the latest totals.
func (c *Client) ReturnMarks(marks []model.Feedback) bool {
	isRelayed := false
	for _, to := range c.controllers {
		isRelayed = to.outbox.returnMarks(marks) || isRelayed
	}
	return isRelayed
}

func markReportOf(marks map[model.Pair]model.Feedback) *pb.MarkReport {
	message := &pb.MarkReport{}
	for pair, one := range marks {
		message.Pairs = append(message.Pairs, &pb.PairMarks{
			Source: pair.Source.AsSlice(), Destination: pair.Destination.AsSlice(), Instance: one.Instance,
			Sequence: one.Sequence, Packets: one.Packets, Marks: one.CEPackets, Bytes: one.Bytes,
		})
	}
	return message
}

func returnedMarksOf(message *pb.ReturnedMarks) ([]model.Feedback, error) {
	return marksOf("returned_marks.pairs", message.GetPairs())
}

func undeliveredMarksOf(message *pb.UndeliveredMarks) ([]model.Feedback, error) {
	return marksOf("undelivered_marks.pairs", message.GetPairs())
}

func marksOf(field string, pairs []*pb.PairMarks) ([]model.Feedback, error) {
	if len(pairs) > maxMarkedPairs {
		return nil, fmt.Errorf("%s: %d; there must be at most %d", field, len(pairs), maxMarkedPairs)
	}
	var marks []model.Feedback
	for i, one := range pairs {
		source, isSource := netip.AddrFromSlice(one.GetSource())
		destination, isDestination := netip.AddrFromSlice(one.GetDestination())
		if !isSource || !isDestination {
			return nil, fmt.Errorf("%s[%d]: addresses of %d and %d bytes; an IP address has 4 or 16", field, i,
				len(one.GetSource()), len(one.GetDestination()))
		}
		marks = append(marks, model.Feedback{
			Pair:     model.Pair{Source: source.Unmap(), Destination: destination.Unmap()},
			Instance: one.GetInstance(), Sequence: one.GetSequence(),
			Packets: one.GetPackets(), CEPackets: one.GetMarks(), Bytes: one.GetBytes(),
		})
	}
	return marks, nil
}
