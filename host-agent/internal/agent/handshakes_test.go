// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// handshakes counts the SYN-ACKs that reach the VM.
func (w *watched) countHandshakes() (arrived func() int) {
	w.t.Helper()
	var capture *testnet.Capture
	w.vm.Do(func() error {
		device, err := netlink.LinkByName("vm")
		if err != nil {
			return err
		}
		capture = testnet.NewCapture(w.t, device)
		return nil
	})
	count := 0
	return func() int {
		count += len(capture.Waiting(func(frame []byte) bool {
			return testnet.IPProtocol(testnet.TCP)(frame) && frame[47] == testnet.SYN|testnet.ACK
		}))
		return count
	}
}

// A SYN-ACK waits for a controller's decision, and not longer than it is to.
func TestASynAckIsHeldForAGrant(t *testing.T) {
	t.Parallel()
	const wait = 400 * time.Millisecond // far longer than an answer takes on a busy machine
	w := newWatched(t, 0)
	w.settings(wait)
	arrived := w.countHandshakes()
	connect := func() (net.Conn, time.Duration) {
		began := time.Now()
		connection := w.connect()
		return connection, time.Since(began)
	}
	if connection, took := connect(); took < wait || took > 2*wait {
		t.Errorf("nobody answered: connected to %v after %v", connection.RemoteAddr(), took)
	}
	// A controller that answers as soon as the connection is reported.
	w.controller.answer = func(update model.FlowUpdate) {
		if update.State == model.FlowOpened {
			w.grant(update.Flow, 3*1460)
		}
	}
	connection, took := connect()
	if took >= wait {
		t.Errorf("answered at once: connected after %v", took)
	}
	if window := info(t, connection.(*net.TCPConn)).Snd_wnd; window != 3*1460 {
		t.Errorf("first window %d, want what was granted", window)
	}
	// A pattern that is there already is an answer.
	w.controller.answer = nil
	grants := w.status().Flows.Grants
	w.grant(model.FlowID{Source: ownIP, Destination: peerIP}, 5*1460)
	testnet.Until(t, "granted", func() bool { return w.status().Flows.Grants > grants })
	if connection, took = connect(); took >= wait {
		t.Errorf("granted before: connected after %v", took)
	}
	if window := info(t, connection.(*net.TCPConn)).Snd_wnd; window != 5*1460 {
		t.Errorf("first window %d, want the pattern's", window)
	}
	w.agent.decisions.VoidGrants("node")
	w.settings(0)
	if _, took = connect(); took >= wait {
		t.Errorf("nothing is to wait: connected after %v", took)
	}
	if got := arrived(); got != 4 {
		t.Errorf("%d SYN-ACKs for 4 connections", got)
	}
}

// Settings that end the waiting, and the agent's own end, let go what waits.
func TestHeldSynAcksAreReleasedAtTheEnd(t *testing.T) {
	t.Parallel()
	const wait = 100 * time.Millisecond
	for name, end := range map[string]func(w *watched){
		"watching ends": func(w *watched) { w.agent.decisions.ApplySettings("node", model.HostSettings{Enforcement: true}) },
		"the agent ends": func(w *watched) {
			if err := w.stop(); err != nil {
				w.t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatched(t, 0)
			w.settings(wait)
			arrived := w.countHandshakes()
			opened := make(chan struct{}, 1)
			w.controller.answer = func(update model.FlowUpdate) {
				select {
				case opened <- struct{}{}:
				default:
				}
			}
			began := time.Now()
			connected := make(chan struct{})
			go func() {
				defer close(connected)
				w.connect()
			}()
			<-opened
			end(w)
			<-connected
			if took := time.Since(began); took >= time.Second { // when a VM sends its SYN again
				t.Errorf("connected after %v: by a SYN sent again", took)
			}
			if got := arrived(); got != 1 {
				t.Errorf("%d SYN-ACKs, want 1", got)
			}
		})
	}
}
