// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"testing"
	"time"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// endsBy runs a client until it is connected, ends it by a cause, and returns for how long that took.
func endsBy(t *testing.T, f *fakeController, cause error) time.Duration {
	s := newLinkFixture(t)
	f.start(t, s.authority, "controller")
	s.config.Controllers = []string{f.address}
	client, err := New(s.config, s.hello, s.notes)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		client.Run(ctx)
	}()
	eventually(t, "connected", func() bool { return client.Controllers()[0].Connected })
	began := time.Now()
	cancel(cause)
	<-ended
	return time.Since(began)
}

func (f *fakeController) hasBeenLeft() bool {
	return f.receivedAny(func(m *pb.AgentMessage) bool { return m.GetEvent().GetKind() == pb.Event_KIND_LEAVING })
}

func TestAStoppedAgentSendsALeavingEvent(t *testing.T) {
	f := newFakeController("onos1")
	endsBy(t, f, model.ErrLeaving)
	eventually(t, "the announcement", f.hasBeenLeft)
	f.mu.Lock()
	defer f.mu.Unlock()
	if last := f.received[len(f.received)-1]; last.GetEvent().GetKind() != pb.Event_KIND_LEAVING {
		t.Errorf("the last message is %v", last)
	}
}

func TestAnAgentThatHandsOverSendsNoLeavingEvent(t *testing.T) {
	f := newFakeController("onos1")
	endsBy(t, f, nil)
	f.server.Stop() // whatever was sent has been received
	if f.hasBeenLeft() {
		t.Error("its controllers would not miss it")
	}
}

func TestAControllerThatDoesNotReadDoesNotDelayTheStop(t *testing.T) {
	f := newFakeController("onos1")
	f.neverReads = true
	if took := endsBy(t, f, model.ErrLeaving); took > deadline {
		t.Errorf("it took %v", took)
	}
}
