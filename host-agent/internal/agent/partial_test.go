// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"os"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// A peer may have no agent: nothing is declared to it, or reported, before one has answered.
func TestECTIsDeclaredOnceThePeersAgentIsKnown(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.agents = nil
	h.run()
	capture, far, vm := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.far), testnet.NewSender(t, h.vm)
	expect := func(what string, ecn uint8) {
		t.Helper()
		vm.Send(outward(ownIP, peerIP, testnet.NotECT))
		if got := testnet.ECNOf(capture.Next(eventually, udp)); got != ecn {
			t.Errorf("%s: ECN %d leaves, want %d", what, got, ecn)
		}
	}
	expect("before", testnet.NotECT)
	same := func(frame []byte) []byte { return frame }
	h.expectEchoAnswered(far, capture, same, testnet.IPProtocol(testProtocol))
	expect("once it has answered", testnet.ECT0)
	if known := h.status().Feedback.Agents; known != 1 {
		t.Errorf("%d agents known, want 1", known)
	}
	h.handOver()
	h.run()
	expect("after a restart", testnet.ECT0)
}

func TestAPeerWithoutAnAgentGetsFewMessages(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	h.agents = nil
	h.run()
	capture, far := testnet.NewCapture(t, h.far), testnet.NewSender(t, h.far)
	inside := testnet.NewCapture(t, h.vm)
	messages := 0
	for began := time.Now(); time.Since(began) < time.Second; time.Sleep(2 * time.Millisecond) { // the length of what is counted
		far.Send(inward(peerIP, ownIP, testnet.CE))
		messages += len(capture.Waiting(testnet.IPProtocol(testProtocol)))
		if ecn := testnet.ECNOf(inside.Next(eventually, udp)); ecn != testnet.CE {
			t.Fatalf("the VM sees ECN %d, and nobody else slows its peer down", ecn)
		}
	}
	const most = 6 // of 1.6 s
	if messages == 0 || messages > most {
		t.Errorf("%d messages, want a few", messages)
	}
	same := func(frame []byte) []byte { return frame }
	h.expectEchoAnswered(far, capture, same, testnet.IPProtocol(testProtocol))
	far.Send(inward(peerIP, ownIP, testnet.CE))
	capture.Next(eventually, testnet.IPProtocol(testProtocol)) // an agent gets feedback
}

// What the kernels of VM and peer agree on is theirs: a SYN that arrives as ECT would be refused.
func TestECNIsAgreedOnWithAPeerWithoutAnAgent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.agents = nil
	s.run()
	for _, side := range []*testnet.Namespace{s.vm, s.far} {
		side.Do(func() error { return os.WriteFile("/proc/sys/net/ipv4/tcp_ecn", []byte("1"), 0) })
	}
	const agreedOnECN = 8 // TCPI_OPT_ECN
	if options := info(t, s.connect()).Options; options&agreedOnECN == 0 {
		t.Errorf("options %#x: ECN was refused", options)
	}
}
