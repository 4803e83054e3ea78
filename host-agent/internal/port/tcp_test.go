// SPDX-License-Identifier: Apache-2.0

package port

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// A TCP connection through a capped queue sends at the cap: what exceeds it waits, and is not policed away.
func TestTCPSurvivesACap(t *testing.T) {
	w := newBackgroundWire(t, func(p *config.Port) {
		p.CapacityMbps, p.BufferPackets, p.MarkThresholdPackets = 20, 100, 0
	})
	w.decide(queueFor(downA, behindA))
	left, right := testnet.NewNamespace(t), testnet.NewNamespace(t)
	left.Take(w.left, net.HardwareAddr{2, 0, 0, 0, 0, 1}, "10.0.1.1/24")
	right.Take(w.wire.right, net.HardwareAddr{2, 0, 0, 0, 0, 2}, behindA.String()+"/24")
	left.Do(func() error { // as an agent bounds it at such a rate
		device, err := netlink.LinkByName("left")
		if err != nil {
			return err
		}
		return netlink.LinkSetGSOMaxSize(device, 3000)
	})
	var server net.Listener
	right.Do(func() (err error) {
		server, err = net.Listen("tcp", behindA.String()+":5001")
		return err
	})
	defer server.Close()
	go func() {
		connection, err := server.Accept()
		if err == nil {
			_, _ = io.Copy(io.Discard, connection)
			_ = connection.Close()
		}
	}()
	w.cap(downA, capRate, forHours)
	w.capped(downA, capRate)
	var connection net.Conn
	left.Do(func() (err error) {
		connection, err = net.DialTimeout("tcp", behindA.String()+":5001", 5*time.Second)
		return err
	})
	done := make(chan error, 1)
	go func() {
		block := make([]byte, 100_000)
		for {
			if _, err := connection.Write(block); err != nil {
				done <- err
				return
			}
		}
	}()
	testnet.Until(t, "it fills the queue", func() bool { return w.background(downA).BacklogPackets > 20 })
	rate := w.rateOf(downA, time.Second)
	for attempt := 0; rate < 0.97*capRate && attempt < 4; attempt++ {
		rate = w.rateOf(downA, time.Second)
	}
	if rate < 0.97*capRate || rate > 1.03*capRate {
		t.Errorf("%.2f Mbit/s, want %.2f", rate/1e6, capRate/1e6)
	}
	// The end of the cap ends what it did.
	w.cap(downA, 0, 0)
	w.capped(downA, 0)
	testnet.Until(t, "it has most of the port", func() bool { return w.rateOf(downA, 50*time.Millisecond) > 0.8*20e6 })
	_ = connection.Close()
	if err := <-done; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}
