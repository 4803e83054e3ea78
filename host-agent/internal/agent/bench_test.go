// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const benchPairs = 200

func benchDestination(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 1, byte(i)}) }

// What one turn of the engine costs on a host with 200 pairs in each direction under one congested port.
func BenchmarkTurn(b *testing.B) {
	for name, traffic := range map[string]func(vm, far *testnet.Sender, i int){
		"idle": func(vm, far *testnet.Sender, i int) {},
		"sending": func(vm, far *testnet.Sender, i int) {
			vm.Send(outward(ownIP, benchDestination(i), testnet.NotECT))
		},
		"receiving": func(vm, far *testnet.Sender, i int) {
			far.Send(inward(benchDestination(i), ownIP, testnet.CE))
		},
	} {
		b.Run(name, func(b *testing.B) {
			h := newHost(b, nil)
			a := newAgent(h.settings, "test", nil, quiet, h.pace)
			if err := a.start((&observer{t: b}).connect); err != nil {
				b.Fatalf("%v (this benchmark needs root)", err)
			}
			b.Cleanup(func() {
				if err := a.Stop(); err != nil {
					b.Error(err)
				}
			})
			h.agent = a
			destinations := make([]netip.Addr, benchPairs)
			vm, far := testnet.NewSender(b, h.vm), testnet.NewSender(b, h.far)
			for i := range destinations {
				destinations[i] = benchDestination(i)
				vm.Send(outward(ownIP, destinations[i], testnet.NotECT))
				far.Send(inward(destinations[i], ownIP, testnet.ECT0))
			}
			h.share(10_000_000, 4, destinations...)
			a.inbox.RunTasks()
			for range 3 {
				a.loop.turn(clock.Nanos())
			}
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				for i := range destinations {
					traffic(vm, far, i)
				}
				b.StartTimer()
				a.loop.turn(clock.Nanos())
			}
		})
	}
}
