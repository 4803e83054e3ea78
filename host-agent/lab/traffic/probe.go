// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"
	"unsafe"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

const (
	requestBytes = 16 // two instants: monotonic, and of the wall clock, which the kernel stamps by
	// How long after the last request an answer may arrive.
	patienceNanos     = 200_000_000
	answerPollNanos   = 200_000_000 // how late the stop instant may be noticed
	largestProbeBytes = 2048
)

// probe is a sparse request-response flow: small UDP requests, each answered at once. The kernel
// stamps the answer's arrival, so that the client's own scheduling does not count.
type probe struct {
	window
	to, answerOn   string
	port           int
	intervalMillis float64
}

// probeReport is what the client prints: each sample is the instant of a request and its round trip in
// milliseconds.
type probeReport struct {
	Requests int          `json:"requests"`
	Samples  [][2]float64 `json:"samples"`
}

func probeCommand() *cobra.Command {
	p := &probe{}
	command := &cobra.Command{
		Use:   "probe",
		Short: "Send small UDP requests at fixed instants and report their round trips, or answer them",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return p.run() },
	}
	p.options(command)
	flags := command.Flags()
	flags.StringVar(&p.to, "to", "", "send requests to this `ADDRESS`")
	flags.StringVar(&p.answerOn, "answer-on", "", "answer requests on this own `ADDRESS`")
	flags.IntVar(&p.port, "port", 0, "UDP port")
	flags.Float64Var(&p.intervalMillis, "interval-millis", 5, "between two requests")
	require(command, "port")
	command.MarkFlagsOneRequired("to", "answer-on")
	command.MarkFlagsMutuallyExclusive("to", "answer-on")
	return command
}

func (p *probe) run() error {
	address, err := netip.ParseAddr(p.to + p.answerOn)
	if err != nil {
		return err
	}
	socket, err := socketOf(address, unix.SOCK_DGRAM)
	if err != nil {
		return err
	}
	if p.answerOn != "" {
		if err := unix.Bind(socket, socketAddress(address, p.port)); err != nil {
			return fmt.Errorf("UDP port %d of %s: %w", p.port, address, err)
		}
		return p.answer(socket)
	}
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
		return err
	}
	if err := unix.Connect(socket, socketAddress(address, p.port)); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(p.request(socket))
}

// answer sends every request back.
func (p *probe) answer(socket int) error {
	timeout := unix.NsecToTimeval(answerPollNanos)
	if err := unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		return err
	}
	received := make([]byte, largestProbeBytes)
	for nowNanos() < p.stopNanos {
		count, client, err := unix.Recvfrom(socket, received, 0)
		if err == nil {
			_ = unix.Sendto(socket, received[:count], 0, client) // counted as lost by the client
		}
	}
	return nil
}

// request sends at fixed instants, those that a late start has missed at once; an answer may arrive at
// any later time.
func (p *probe) request(socket int) probeReport {
	report := probeReport{Samples: [][2]float64{}}
	intervalNanos := int64(p.intervalMillis * 1e6)
	var message [requestBytes]byte
	next := p.startNanos
	if next == 0 {
		next = nowNanos()
	}
	for ; next < p.stopNanos; next += intervalNanos {
		report.collect(socket, next)
		binary.NativeEndian.PutUint64(message[:], uint64(nowNanos()))
		binary.NativeEndian.PutUint64(message[8:], uint64(time.Now().UnixNano()))
		_, _ = unix.Write(socket, message[:]) // counted as lost: a request without an answer
		report.Requests++
	}
	report.collect(socket, nowNanos()+patienceNanos)
	return report
}

// collect receives answers until an instant.
func (r *probeReport) collect(socket int, untilNanos int64) {
	var message [largestProbeBytes]byte
	var stamps [64]byte
	for {
		remaining := untilNanos - nowNanos()
		if remaining <= 0 {
			return
		}
		if !readable(socket, remaining) {
			continue
		}
		count, stampBytes, _, _, err := unix.Recvmsg(socket, message[:], stamps[:], unix.MSG_DONTWAIT)
		if err != nil || count != requestBytes {
			continue // the peer's machine refused a request, or it is no answer
		}
		sentMonotonic := binary.NativeEndian.Uint64(message[:])
		sentReal := int64(binary.NativeEndian.Uint64(message[8:]))
		arrived, err := arrivalNanos(stamps[:stampBytes])
		if err != nil {
			arrived = time.Now().UnixNano()
		}
		r.Samples = append(r.Samples, [2]float64{float64(sentMonotonic), float64(arrived-sentReal) / 1e6})
	}
}

// readable waits at most so long for a datagram.
func readable(socket int, nanos int64) bool {
	timeout := unix.NsecToTimespec(nanos)
	waiting := []unix.PollFd{{Fd: int32(socket), Events: unix.POLLIN}}
	count, err := unix.Ppoll(waiting, &timeout, nil)
	return err == nil && count == 1
}

// arrivalNanos is the wall clock at which the kernel received a datagram.
func arrivalNanos(control []byte) (int64, error) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return 0, err
	}
	for _, message := range messages {
		if message.Header.Level == unix.SOL_SOCKET && message.Header.Type == unix.SCM_TIMESTAMPNS &&
			len(message.Data) >= int(unsafe.Sizeof(unix.Timespec{})) {
			stamp := (*unix.Timespec)(unsafe.Pointer(&message.Data[0]))
			return stamp.Nano(), nil
		}
	}
	return 0, errors.New("without a time stamp")
}
