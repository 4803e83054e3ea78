// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
)

// TestManySendersToOneVM has real TCP go through receiver windows: whatever they are, all that is sent arrives.
func TestManySendersToOneVM(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]bool{"on": true, "off": false} {
		t.Run(name, func(t *testing.T) {
			s := newSiteWith(t, func(h *config.Host) { h.ReceiverWindows = config.Switch(on) })
			s.run()
			const senders, bytes = 40, 50_000
			if got := s.incast(senders, bytes); got != senders*bytes {
				t.Errorf("%d bytes arrived of %d", got, senders*bytes)
			}
			if clamped := s.status().Endpoints[0].TxClampedPackets; clamped > 0 != on {
				t.Errorf("%d offers lowered", clamped)
			}
		})
	}
}

// incast has so many connections from the far side send to the VM at once; how much has arrived.
func (s *site) incast(senders int, bytes int) (arrived int64) {
	s.t.Helper()
	var listener net.Listener
	s.vm.Do(func() (err error) {
		listener, err = net.Listen("tcp4", net.JoinHostPort(ownIP.String(), "0"))
		return err
	})
	defer listener.Close()
	connections := make([]net.Conn, senders)
	s.far.Do(func() (err error) {
		for i := range connections {
			if connections[i], err = net.DialTimeout("tcp4", listener.Addr().String(), eventually); err != nil {
				return err
			}
		}
		return nil
	})
	var sending sync.WaitGroup
	for _, connection := range connections {
		sending.Go(func() {
			defer connection.Close()
			if _, err := connection.Write(make([]byte, bytes)); err != nil {
				s.t.Error(err)
			}
		})
	}
	var receiving sync.WaitGroup
	counts := make([]int64, senders)
	for i := range counts {
		accepted, err := listener.Accept()
		if err != nil {
			s.t.Fatal(err)
		}
		receiving.Go(func() {
			defer accepted.Close()
			if counts[i], err = io.Copy(io.Discard, accepted); err != nil {
				s.t.Error(err)
			}
		})
	}
	sending.Wait()
	receiving.Wait()
	for _, count := range counts {
		arrived += count
	}
	return arrived
}
