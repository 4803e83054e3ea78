// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// processorMillis is what a process has used so far.
func processorMillis(b *testing.B, process int) float64 {
	b.Helper()
	const ticksPerSecond = 100 // USER_HZ
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
	ticks := 0.0
	for _, field := range fields[11:13] { // utime, stime
		value, err := strconv.ParseFloat(field, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += value
	}
	return ticks * 1000 / ticksPerSecond
}

// What an agent's process takes of a processor, in thousandths, while its limits follow marks every 2 ms: it gets
// feedback of a peer and reports to one every millisecond; and while nothing is marked, or nothing passes.
func BenchmarkProcess(b *testing.B) {
	for _, c := range []struct {
		name              string
		passes, isMarking bool
	}{{"marked", true, true}, {"unmarked", true, false}, {"silent", false, false}} {
		b.Run(c.name, func(b *testing.B) {
			h := newHost(b, func(s *config.Host) {
				hygenicc(config.FeedbackPacket)(s)
				s.TauMicros, s.TraceFile = 2000, ""
			})
			child := h.runChildWith(0, "GOMAXPROCS=1")
			b.Cleanup(func() {
				_ = child.Process.Kill()
				_ = child.Wait()
				if _, err := footprint.UndoEarlier(h.settings.RunDirectory, h.settings.BPFDirectory); err != nil {
					b.Error(err)
				}
			})
			far, vm := testnet.NewSender(b, h.far), testnet.NewSender(b, h.vm)
			encoder := wire.Encoder{Protocol: testProtocol, Keys: &wire.Keyring{}, AllowUnsigned: true}
			buffer := make([]byte, wire.MaxFrameLength)
			feedback := model.Feedback{Pair: model.Pair{Source: ownIP, Destination: peerIP}, Instance: 7,
				Sequence: wire.NextSequence(0, time.Now().UnixNano()), PeriodNanos: 1_000_000}
			turn := 0
			if c.passes {
				testnet.Paced(b, time.Millisecond, func() {
					turn++
					for range 4 {
						vm.Send(outward(ownIP, peerIP, testnet.NotECT))
						far.Send(inward(peerIP, ownIP, testnet.ECT0))
					}
					if !c.isMarking {
						return
					}
					far.Send(inward(peerIP, ownIP, testnet.CE))
					feedback.Sequence, feedback.Packets, feedback.Bytes = feedback.Sequence+1, feedback.Packets+4, feedback.Bytes+4000
					if turn%8 == 0 {
						feedback.CEPackets++
					}
					length, err := encoder.EncodeFeedback(buffer, &feedback, wire.MAC{2, 0, 0, 0, 0, 5}, wire.MAC{2, 0, 0, 0, 0, 1})
					if err == nil {
						far.Send(buffer[:length])
					}
				})
			}
			time.Sleep(1500 * time.Millisecond) // what a start takes is over, and who is silent counts as idle
			const length = 3 * time.Second
			used, messages := 0.0, 0
			capture := testnet.NewCapture(b, h.far)
			for b.Loop() {
				capture.Waiting(testnet.IPProtocol(testProtocol))
				before := processorMillis(b, child.Process.Pid)
				time.Sleep(length) // the measurement's length
				used += processorMillis(b, child.Process.Pid) - before
				messages += len(capture.Waiting(testnet.IPProtocol(testProtocol)))
			}
			seconds := float64(b.N) * length.Seconds()
			b.ReportMetric(used/seconds, "cpu-ms/s")
			b.ReportMetric(float64(messages)/seconds, "messages/s")
		})
	}
}
