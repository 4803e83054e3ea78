// SPDX-License-Identifier: Apache-2.0

package link

import (
	"reflect"
	"testing"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

func TestEveryKindOfMessageHasARow(t *testing.T) {
	table, fields := kinds(), (&pb.ControllerMessage{}).ProtoReflect().Descriptor().Oneofs().ByName("body").Fields()
	for i := range fields.Len() {
		m := &pb.ControllerMessage{}
		m.ProtoReflect().Set(fields.Get(i), m.ProtoReflect().NewField(fields.Get(i)))
		if _, has := table[reflect.TypeOf(m.GetBody())]; !has {
			t.Errorf("%s has none", fields.Get(i).Name())
		}
	}
	if len(table) != fields.Len() {
		t.Errorf("%d rows for %d kinds", len(table), fields.Len())
	}
}

// noticesOnly takes one kind alone.
type noticesOnly struct{ notices int }

func (n *noticesOnly) ApplyNotices(string, []model.Notice)          { n.notices++ }
func (n *noticesOnly) ApplyNoticeKey(_ string, key model.NoticeKey) {}

func TestDecisionsThatTheAgentDoesNotTakeAreDropped(t *testing.T) {
	to := &noticesOnly{}
	table := newDecisionTable(to, testLease)
	for _, m := range []*pb.ControllerMessage{
		welcome("a"), settings("a", 1, 1), shares("a", 1, 2, share("p/1", 100)), notice("a", 1, 3, "p/1"),
	} {
		if stale, err := table.receive(0, m); stale != 0 || err != nil {
			t.Errorf("%v: %d, %v", m, stale, err)
		}
	}
	table.expire(testLease.Nanoseconds())
	if to.notices != 1 {
		t.Errorf("%d of one message's notices", to.notices)
	}
}
