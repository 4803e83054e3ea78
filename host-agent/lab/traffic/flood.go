// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

const (
	frameBytes = 1514 // a full frame without its checksum
	// The headers of Ethernet, IP and UDP.
	headerBytesIPv4, headerBytesIPv6 = 14 + 20 + 8, 14 + 40 + 8
	tickNanos                        = 1_000_000
	// What a late wake-up is made good by at the most.
	largestBatch = 64
)

type flood struct {
	window
	to        string
	port      int
	rateMbps  float64 // of frame bytes
	segments  int
	on, off   time.Duration
	connected *ipv4.PacketConn // sendmmsg, for either family
	batch     []ipv4.Message
}

func floodCommand() *cobra.Command {
	f := &flood{}
	var onMillis, offMillis int
	command := &cobra.Command{
		Use:   "flood",
		Short: "Send full-size UDP datagrams at a fixed rate, without congestion control",
		Long: "Sends full-size UDP datagrams at a fixed rate, without congestion control. With --on-millis and\n" +
			"--off-millis it sends in bursts, so that every burst finds an empty queue.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			f.on, f.off = time.Duration(onMillis)*time.Millisecond, time.Duration(offMillis)*time.Millisecond
			return f.run()
		},
	}
	f.options(command)
	flags := command.Flags()
	flags.StringVar(&f.to, "to", "", "`ADDRESS` of the receiver")
	flags.IntVar(&f.port, "port", 0, "its UDP port")
	flags.Float64Var(&f.rateMbps, "rate-mbps", 0, "Mbit/s of frames on the wire")
	flags.IntVar(&f.segments, "segments", 1, "frames that the kernel makes of one datagram")
	flags.IntVar(&onMillis, "on-millis", 0, "0: without pause")
	flags.IntVar(&offMillis, "off-millis", 0, "between two bursts")
	require(command, "to", "port", "rate-mbps")
	return command
}

func (f *flood) run() error {
	if err := f.connect(); err != nil {
		return err
	}
	sleepUntil(f.startNanos)
	for nowNanos() < f.stopNanos {
		pauseNanos := f.stopNanos
		if f.on > 0 {
			pauseNanos = min(pauseNanos, nowNanos()+f.on.Nanoseconds())
		}
		f.send(pauseNanos)
		if f.on > 0 {
			sleepUntil(min(f.stopNanos, nowNanos()+f.off.Nanoseconds()))
		}
	}
	return nil
}

// connect opens the socket and prepares a batch of equal datagrams.
func (f *flood) connect() error {
	address, err := netip.ParseAddr(f.to)
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	payload := frameBytes - headerBytesIPv4
	if address.Is6() {
		payload = frameBytes - headerBytesIPv6
	}
	connection, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(address, uint16(f.port))))
	if err != nil {
		return err
	}
	if f.segments > 1 {
		raw, err := connection.SyscallConn()
		if err != nil {
			return err
		}
		var refused error
		if err := raw.Control(func(socket uintptr) {
			refused = unix.SetsockoptInt(int(socket), unix.SOL_UDP, unix.UDP_SEGMENT, payload)
		}); err != nil || refused != nil {
			return fmt.Errorf("UDP_SEGMENT: %w %w", err, refused)
		}
	}
	f.connected = ipv4.NewPacketConn(connection)
	datagram := make([]byte, payload*f.segments)
	f.batch = make([]ipv4.Message, largestBatch)
	for i := range f.batch {
		f.batch[i].Buffers = [][]byte{datagram}
	}
	return nil
}

// send keeps the rate until an instant.
func (f *flood) send(untilNanos int64) {
	datagramsPerNano := f.rateMbps / 8e3 / frameBytes / float64(f.segments)
	begun, sent := nowNanos(), 0
	for now := begun; now < untilNanos; now = nowNanos() {
		due := int(float64(now-begun)*datagramsPerNano) - sent
		sent += due
		for left := min(due, largestBatch); left > 0; {
			offered, err := f.connected.WriteBatch(f.batch[:left], 0)
			if err != nil {
				break // what the system refuses is lost, as on a wire
			}
			left -= offered
		}
		sleepUntil(now + tickNanos)
	}
}
