// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

// repetitions are done inside the kernel, between two readings of its clock.
const repetitions = 100_000

// perPacket reports a program's own time, without the system call around it.
func perPacket(b *testing.B, program *ebpf.Program, frame []byte) {
	b.Helper()
	var total time.Duration
	runs := 0
	for b.Loop() {
		_, duration, err := program.Benchmark(frame, repetitions, nil)
		if err != nil {
			b.Fatal(err)
		}
		total += duration
		runs++
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(total.Nanoseconds())/float64(runs), "ns/packet")
}

// turn is a program that takes its turn with others.
type turn struct {
	name    string
	program *ebpf.Program
	frame   []byte
}

// inTurns reports the interquartile mean of each one's time, one after the other in every round: the machine's speed
// varies, and what one run finds can be compared. With several repetitions a frame is what the one before made of it.
func inTurns(b *testing.B, repetitions int, turns []turn) []float64 {
	b.Helper()
	durations := make([][]time.Duration, len(turns))
	for b.Loop() {
		for i, one := range turns {
			_, duration, err := one.program.Benchmark(one.frame, repetitions, nil)
			if err != nil {
				b.Fatal(err)
			}
			durations[i] = append(durations[i], duration)
		}
	}
	b.ReportMetric(0, "ns/op")
	means := make([]float64, len(turns))
	for i, one := range turns {
		slices.Sort(durations[i])
		rounds := len(durations[i])
		var sum time.Duration
		middle := durations[i][rounds/4 : rounds-rounds/4]
		for _, duration := range middle {
			sum += duration
		}
		means[i] = float64(sum.Nanoseconds()) / float64(len(middle))
		b.ReportMetric(means[i], one.name+"-ns/packet")
	}
	return means
}

func benchFixture(b *testing.B) *fixture {
	f := newFixture(b)
	f.RenewLease(clock.Nanos() + time.Hour.Nanoseconds())
	return f
}

func BenchmarkFromVM(b *testing.B) {
	frame := tcpOut(testnet.ACK)
	frame.PayloadBytes = 1400
	b.Run("no endpoint", func(b *testing.B) {
		f := benchFixture(b)
		if err := f.vacate(model.Place{Ifindex: testIfindex}); err != nil {
			b.Fatal(err)
		}
		perPacket(b, f.objects.FromVm, frame.Build())
	})
	b.Run("off", func(b *testing.B) {
		f := benchFixture(b)
		f.SetEnforcing(false)
		perPacket(b, f.objects.FromVm, frame.Build())
	})
	b.Run("tcp", func(b *testing.B) {
		perPacket(b, benchFixture(b).objects.FromVm, frame.Build())
	})
	b.Run("tcp, watched", func(b *testing.B) {
		w := benchFixture(b).watch()
		w.establish(7)
		perPacket(b, w.objects.FromVm, frame.Build())
	})
	b.Run("tcp, returning marks", func(b *testing.B) {
		perPacket(b, markedFixture(b).objects.FromVm, frame.Build())
	})
	b.Run("multicast", func(b *testing.B) {
		f := benchFixture(b)
		f.LimitResidual(endpointIndex, htb.ResidualOf(1e12, 0)) // so fast that nothing is dropped
		perPacket(b, f.objects.FromVm, unaccountable()["multicast"])
	})
	b.Run("tcp, to a neighbour", func(b *testing.B) {
		f := withNeighbour(b, neighbourMAC)
		near := frame
		near.Destination = other4
		perPacket(b, f.objects.FromVm, near.Build())
	})
	b.Run("tcp, to a neighbour, limited", func(b *testing.B) {
		f := withNeighbour(b, neighbourMAC)
		// So fast that nothing is dropped.
		f.LimitNeighbours(endpointIndex, htb.NeighboursOf(1e12, 1500, 0), htb.SparseOf(1e12, 1500, 0))
		near := frame
		near.Destination = other4
		perPacket(b, f.objects.FromVm, near.Build())
	})
	b.Run("tcp, policed", func(b *testing.B) {
		f := benchFixture(b)
		if err := f.SetDestination(endpointIndex, peer4, 1); err != nil {
			b.Fatal(err)
		}
		// So fast that nothing is dropped: a packet then passes both buckets.
		f.PoliceEndpoint(endpointIndex, htb.PoliceOf(1e12, 1500, 0))
		f.PoliceGroup(endpointIndex, 1, htb.PoliceOf(1e12, 1500, 0))
		perPacket(b, f.objects.FromVm, frame.Build())
	})
}

// markedFixture has more marks to return than a benchmark sends packets.
func markedFixture(b *testing.B) *fixture {
	f := benchFixture(b)
	f.Reflect(ReflectingBits)
	f.toVM(tcpIn(testnet.SYN, testnet.NotECT))
	f.fromVM(tcpOut(testnet.SYN | testnet.ACK))
	f.toVM(tcpIn(testnet.ACK, testnet.CE))
	for pair := range f.Pairs() {
		if f.Address(pair.Slot).Source == peer4 {
			f.pairs.At(pair.Slot).WaitingMarks = 1 << 40
		}
	}
	return f
}

func BenchmarkToVM(b *testing.B) {
	frame := tcpIn(testnet.ACK, testnet.ECT0)
	frame.PayloadBytes = 1400
	b.Run("tcp", func(b *testing.B) {
		f := benchFixture(b)
		// Test runs come from no device: let that be the uplink.
		f.state.At(0).Through[0] = 0
		perPacket(b, f.objects.ToVm, frame.Build())
	})
	// At a rate at which the queue is always empty, and at one at which it is always over its threshold.
	for name, phantom := range map[string]Phantom{
		"tcp, under a receive ceiling": {BytesPerSecond: 1e12, ThresholdBytes: 1e6},
		"tcp, over a receive ceiling":  hardlyDrained(1),
	} {
		b.Run(name, func(b *testing.B) {
			f := benchFixture(b)
			f.state.At(0).Through[0] = 0
			f.SetEndpointPhantom(endpointIndex, phantom)
			perPacket(b, f.objects.ToVm, frame.Build())
		})
	}
	b.Run("tcp, watched and granted", func(b *testing.B) {
		w := benchFixture(b).watch()
		w.establish(7)
		w.grant(10 * testSegment)
		w.state.At(0).Through[0] = 0
		acknowledgement := frame
		acknowledgement.Acknowledgement = w.acknowledged
		perPacket(b, w.objects.ToVm, acknowledgement.Build())
	})
}

// A packet whose window has been lowered needs it no more when it is run again, so these are run one
// at a time: compare the two.
func BenchmarkWindow(b *testing.B) {
	for _, c := range []struct {
		name   string
		window htb.Window
	}{{"left alone", htb.Window{}}, {"lowered", htb.WindowOf(testLimit, 1, 1500, 0)}} {
		b.Run(c.name, func(b *testing.B) {
			f := benchFixture(b)
			conn := f.connection()
			conn.open(scaleOption(7), scaleOption(7))
			f.state.At(0).Through[0] = 0
			f.SetWindow(endpointIndex, 0, c.window)
			frame := conn.in
			frame.TCPFlags, frame.Acknowledgement, frame.Window = testnet.ACK, 100_000, 65535
			raw := frame.Build()
			var total time.Duration
			runs := 0
			for b.Loop() {
				_, duration, err := f.objects.ToVm.Benchmark(raw, 1, nil)
				if err != nil {
					b.Fatal(err)
				}
				total += duration
				runs++
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(total.Nanoseconds())/float64(runs), "ns/packet")
		})
	}
}

// What receiver windows cost: data that come, and acknowledgements whose window is lowered. Where packets run again and
// again the window is what the first run made of it.
func BenchmarkOffers(b *testing.B) {
	turns := func(name string, capacity uint64) []turn {
		f := benchFixture(b)
		f.state.At(0).Through[0] = 0
		f.SetReceiverWindows(capacity)
		c := f.sender(0)
		c.invite(7)
		data, acknowledgement := c.in, c.out
		data.TCPFlags, data.Acknowledgement, data.PayloadBytes = testnet.ACK, 1, 1400
		acknowledgement.TCPFlags, acknowledgement.Acknowledgement, acknowledgement.Window = testnet.ACK, 1, 65535
		return []turn{{name + "-to_vm", f.objects.ToVm, data.Build()}, {name + "-from_vm", f.objects.FromVm, acknowledgement.Build()}}
	}
	inTurns(b, repetitions/100, append(turns("off", 0), turns("on", 1e9)...))
}

// levelNanos is what levels may cost a packet.
const levelNanos = 20

// What levels cost. "steady": the same packet again and again, which keeps the DSCP that it got first; "written":
// one at a time, so that it is written, with what it takes to read the clock twice and to run cold.
func BenchmarkLevels(b *testing.B) {
	const many, endless = 1_000_000_000_000, uint64(1) << 60
	levels := func(first uint64, dscps ...uint8) *fixture {
		f := benchFixture(b)
		f.SetLevels(Levels{ThresholdBytes: []uint64{first, first + 1, first + 2}, DSCPs: dscps, Idle: time.Hour})
		f.SetPriority(endpointIndex, 0, htb.PriorityOf(many, 1500, 1e6)) // so much that nothing is demoted
		f.state.At(0).Through[0] = 0
		return f
	}
	compare := func(b *testing.B, repetitions int, off turn, on ...turn) {
		means := inTurns(b, repetitions, append([]turn{off}, on...))
		for i, one := range on {
			if more := means[i+1] - means[0]; more > levelNanos {
				b.Errorf("%s: %.1f ns more than off, at most %d", one.name, more, levelNanos)
			}
		}
	}
	four, six := tcpOut(testnet.ACK), tcpOut(testnet.ACK)
	six.Source, six.Destination = own6, peer6
	for _, frame := range []testnet.Frame{four, six} {
		frame.PayloadBytes = 1400
		back := frame
		back.Source, back.Destination, back.ECN, back.DSCP = frame.Destination, frame.Source, testnet.ECT0, 24
		for _, c := range []struct {
			name        string
			repetitions int
			first, last []uint8 // DSCPs
		}{
			{"steady", 10_000, []uint8{0, 8, 16, 24}, []uint8{24, 16, 8, 0}},
			{"written", 1, []uint8{32, 24, 16, 8}, []uint8{32, 24, 16, 8}},
		} {
			name := "IPv4, " + c.name
			if frame.Source == own6 {
				name = "IPv6, " + c.name
			}
			off, first, last := benchFixture(b), levels(endless, c.first...), levels(1, c.last...)
			sized, large := levels(endless, c.first...), levels(1, c.last...)
			sized.ReportSizes(true)
			large.ReportSizes(true)
			off.state.At(0).Through[0] = 0
			b.Run(name+", from a VM", func(b *testing.B) {
				compare(b, c.repetitions, turn{"off", off.objects.FromVm, frame.Build()},
					turn{"first", first.objects.FromVm, frame.Build()}, turn{"last", last.objects.FromVm, frame.Build()},
					turn{"first-sized", sized.objects.FromVm, frame.Build()}, turn{"last-sized", large.objects.FromVm, frame.Build()})
			})
			b.Run(name+", to a VM", func(b *testing.B) {
				compare(b, c.repetitions, turn{"off", off.objects.ToVm, back.Build()},
					turn{"on", first.objects.ToVm, back.Build()}, turn{"sized", sized.objects.ToVm, back.Build()})
			})
		}
	}
}

func BenchmarkFromHost(b *testing.B) {
	for _, c := range []struct {
		name   string
		system System
	}{
		{"system's", System{Sources: []netip.Prefix{netip.PrefixFrom(own4, 32)}}},
		{"a VM's", System{Sources: []netip.Prefix{netip.PrefixFrom(own4, 32)}}},
		{"not system's, of eight sources", System{Sources: slices.Repeat([]netip.Prefix{netip.PrefixFrom(peer4, 32)}, MaxSystemEntries)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			frame := tcpOut(testnet.ACK)
			frame.PayloadBytes = 1400
			f := withSystem(b, c.system)
			if c.name != "a VM's" {
				f.state.At(0).ClassBase |= 1 // else it has a class from its first run on, as a VM's packets have
			}
			perPacket(b, f.objects.FromHost, frame.Build())
		})
	}
}

func BenchmarkToHost(b *testing.B) {
	frame := tcpIn(testnet.ACK, testnet.ECT0)
	frame.PayloadBytes = 1400
	b.Run("system's", func(b *testing.B) {
		perPacket(b, withSystem(b, System{}).objects.ToHost, frame.Build())
	})
	b.Run("a VM's", func(b *testing.B) {
		frame.Destination = other4
		perPacket(b, withSystem(b, System{}).objects.ToHost, frame.Build())
	})
}

func BenchmarkUplinkIn(b *testing.B) {
	frame := tcpIn(testnet.ACK, testnet.ECT0)
	b.Run("data", func(b *testing.B) {
		perPacket(b, benchFixture(b).objects.UplinkIn, frame.Build())
	})
	b.Run("data, under a receive ceiling", func(b *testing.B) {
		f := benchFixture(b)
		f.SetUplinkPhantom(Phantom{BytesPerSecond: 1e12, ThresholdBytes: 1e6})
		perPacket(b, f.objects.UplinkIn, frame.Build())
	})
}
