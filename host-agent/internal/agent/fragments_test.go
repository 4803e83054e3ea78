// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const largeDatagramBytes = 8000

// receiveDatagrams counts the bytes of datagrams that come whole.
func (s *site) receiveDatagrams() (address string, bytes *atomic.Uint64) {
	s.t.Helper()
	var socket net.PacketConn
	s.far.Do(func() (err error) {
		socket, err = net.ListenPacket("udp4", net.JoinHostPort(s.farIP.String(), "0"))
		return err
	})
	bytes = &atomic.Uint64{}
	var running sync.WaitGroup
	running.Go(func() {
		buffer := make([]byte, 65536)
		for {
			length, _, err := socket.ReadFrom(buffer)
			if err != nil {
				return
			}
			bytes.Add(uint64(length))
		}
	})
	s.t.Cleanup(func() { socket.Close(); running.Wait() })
	return socket.LocalAddr().String(), bytes
}

// sendDatagrams has the VM send large ones at a rate until the test ends.
func (s *site) sendDatagrams(to string, bitsPerSecond float64) {
	s.t.Helper()
	var socket net.Conn
	s.vm.Do(func() (err error) {
		socket, err = net.Dial("udp4", to)
		return err
	})
	ended := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		// A burst every so often: a busy machine wakes nobody for every datagram.
		const pause = 5 * time.Millisecond
		ticker := time.NewTicker(pause)
		defer ticker.Stop()
		payload, due := make([]byte, largeDatagramBytes), 0.0
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
			}
			for due += bitsPerSecond / 8 * pause.Seconds(); due >= largeDatagramBytes; due -= largeDatagramBytes {
				_, _ = socket.Write(payload) // a refusal of ICMP's is not the sender's to judge
			}
		}
	})
	s.t.Cleanup(func() { close(ended); running.Wait(); socket.Close() })
}

// Two flows of large datagrams, together twice the limit, get most of it: what is dropped is dropped whole.
func TestLargeDatagramsGetThroughAFullClass(t *testing.T) {
	t.Parallel()
	const limit = 20_000_000
	for name, limiter := range map[string]string{"shape": config.LimiterShape, "police": config.LimiterPolice} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, func(c *config.Host) { c.Limiter = limiter })
			s := &site{h, testnet.NewNamespace(t), testnet.NewNamespace(t), peerIP}
			s.vm.Take(h.vm, net.HardwareAddr{2, 0, 0, 0, 0, 1}, ownIP.String()+"/24")
			s.far.Take(h.far, net.HardwareAddr{2, 0, 0, 0, 0, 5}, peerIP.String()+"/24")
			s.run()
			s.limit("vm0", limit)
			address, bytes := s.receiveDatagrams()
			s.sendDatagrams(address, limit)
			s.sendDatagrams(address, limit)
			testnet.Until(t, "some is dropped", func() bool { return s.status().Endpoints[0].DroppedPackets > 100 })
			arrived := func() (whole, all uint64) {
				whole = bytes.Load()
				s.far.Do(func() error {
					all = testnet.Link(t, "far").Attrs().Statistics.RxBytes
					return nil
				})
				return whole, all
			}
			wholeBefore, allBefore := arrived()
			const enough = 2_000_000 // bytes: 250 datagrams
			testnet.Until(t, "much has come", func() bool {
				_, all := arrived()
				return all-allBefore > enough
			})
			whole, all := arrived()
			e := s.status().Endpoints[0]
			part := float64(whole-wholeBefore) / float64(all-allBefore)
			t.Logf("%.3f of what comes is whole; %d of %d packets dropped", part, e.DroppedPackets, e.TxPackets)
			if part < 0.9 {
				t.Errorf("%.3f of what comes is whole", part)
			}
		})
	}
}
