// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"testing"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// A controller refuses a report in which more packets are marked than have come.
func TestNoReadingHasMoreMarksThanPackets(t *testing.T) {
	f := newFixture(t)
	f.SetEnforcing(false) // the same frame keeps its mark, however often it passes
	frame := arriving(testnet.CE).Build()
	arrived := make(chan error, 1)
	f.toVM(arriving(testnet.CE))
	last := f.onlyPair()
	go func() {
		_, err := f.objects.ToVm.Run(&ebpf.RunOptions{
			Data: frame, DataOut: make([]byte, len(frame)), Repeat: 3_000_000,
			Context: skbContext{Ifindex: testIfindex, IngressIfindex: uplinkIfindex},
		})
		arrived <- err
	}()
	for {
		now := f.onlyPair()
		packets, marks := now.ReceivedPackets-last.ReceivedPackets, now.MarkedPackets()-last.MarkedPackets()
		if marks > packets {
			t.Errorf("%d of %d packets are marked", marks, packets)
			break
		}
		last = now
		select {
		case err := <-arrived:
			if err != nil {
				t.Fatal(err)
			}
			if all := f.onlyPair(); all.ReceivedPackets != 3_000_001 || all.CEPackets != all.ReceivedPackets {
				t.Errorf("%d packets, %d of them marked", all.ReceivedPackets, all.CEPackets)
			}
			return
		default:
		}
	}
	<-arrived
}
