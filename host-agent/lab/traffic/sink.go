// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

const (
	// Polling at intervals, instead of for every packet, saves processor time for the switches.
	pollNanos      = 2_000_000
	udpBufferBytes = 8 << 20
	listenBacklog  = 16
	// What one system call takes off a socket; nothing of it is copied.
	discardBytes = 1 << 20
	mostEvents   = 64
)

// sink counts payload bytes per flow: "udp/10.0.0.2/7002" is what 10.0.0.2 sent to UDP port 7002.
type sink struct {
	window
	bind               []string
	tcpPorts, udpPorts []int
	seriesFile         string
	binMillis          int

	events   int // the epoll set
	sockets  map[int]func()
	received map[string]uint64
	refused  []byte
}

func sinkCommand() *cobra.Command {
	s := &sink{sockets: map[int]func(){}, received: map[string]uint64{}, refused: make([]byte, discardBytes)}
	command := &cobra.Command{
		Use:   "sink",
		Short: "Receive TCP and UDP on many ports and record the payload bytes of each flow over time",
		Long: "Receives TCP and UDP on many ports and records the payload bytes of each flow over time. Each line of\n" +
			`the series is {"tNanos": N, "bytes": {"udp/10.0.0.2/7002": cumulative, ...}}; the first, {}, says that it is ready.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return s.run() },
	}
	s.options(command)
	flags := command.Flags()
	flags.StringSliceVar(&s.bind, "bind", nil, "own `ADDRESSES`")
	flags.IntSliceVar(&s.tcpPorts, "tcp-ports", nil, "TCP `PORTS`")
	flags.IntSliceVar(&s.udpPorts, "udp-ports", nil, "UDP `PORTS`")
	flags.StringVar(&s.seriesFile, "series", "", "`FILE` to write")
	flags.IntVar(&s.binMillis, "bin-millis", 50, "milliseconds between two lines")
	require(command, "bind", "series")
	return command
}

func (s *sink) run() error {
	file, err := os.Create(s.seriesFile)
	if err != nil {
		return err
	}
	defer file.Close()
	if s.events, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	for _, text := range s.bind {
		address, err := netip.ParseAddr(text)
		if err != nil {
			return fmt.Errorf("--bind: %w", err)
		}
		if err := s.listen(address); err != nil {
			return err
		}
	}
	return s.count(bufio.NewWriter(file))
}

func (s *sink) listen(address netip.Addr) error {
	for _, port := range s.tcpPorts {
		listener, err := bound(address, port, unix.SOCK_STREAM)
		if err == nil {
			err = unix.Listen(listener, listenBacklog)
		}
		if err != nil {
			return fmt.Errorf("TCP port %d of %s: %w", port, address, err)
		}
		s.register(listener, func() { s.accept(listener, port) })
	}
	for _, port := range s.udpPorts {
		receiver, err := bound(address, port, unix.SOCK_DGRAM)
		if err == nil {
			err = unix.SetsockoptInt(receiver, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, udpBufferBytes)
		}
		if err != nil {
			return fmt.Errorf("UDP port %d of %s: %w", port, address, err)
		}
		s.register(receiver, func() { s.receiveDatagrams(receiver, port) })
	}
	return nil
}

func bound(address netip.Addr, port, kind int) (int, error) {
	socket, err := socketOf(address, kind|unix.SOCK_NONBLOCK)
	if err != nil {
		return -1, err
	}
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return -1, err
	}
	if address.Is6() {
		// Beside one of IPv4 on the same port.
		if err := unix.SetsockoptInt(socket, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1); err != nil {
			return -1, err
		}
	}
	return socket, unix.Bind(socket, socketAddress(address, port))
}

func (s *sink) register(socket int, receive func()) {
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(socket)}
	if err := unix.EpollCtl(s.events, unix.EPOLL_CTL_ADD, socket, &event); err != nil {
		panic(err) // a socket that this program has just opened
	}
	s.sockets[socket] = receive
}

func (s *sink) close(socket int) {
	delete(s.sockets, socket)
	unix.Close(socket) // which takes it out of the epoll set
}

func (s *sink) accept(listener, port int) {
	connection, source, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	if err != nil {
		return // it was reset meanwhile
	}
	flow := fmt.Sprintf("tcp/%s/%d", sourceOf(source), port)
	s.register(connection, func() { s.receiveStream(connection, flow) })
}

// receiveStream takes what a connection has; with MSG_TRUNC the kernel copies nothing of a stream.
func (s *sink) receiveStream(connection int, flow string) {
	for {
		count, _, err := unix.Recvfrom(connection, s.refused, unix.MSG_TRUNC)
		if errors.Is(err, unix.EAGAIN) {
			return
		}
		if err != nil || count == 0 { // one that failed has ended
			s.close(connection)
			return
		}
		s.received[flow] += uint64(count)
		if count < discardBytes {
			return
		}
	}
}

func (s *sink) receiveDatagrams(receiver, port int) {
	for {
		// The length of the whole datagram, of which only the beginning is copied.
		count, source, err := unix.Recvfrom(receiver, s.refused[:1], unix.MSG_TRUNC)
		if err != nil {
			return // there is none
		}
		s.received[fmt.Sprintf("udp/%s/%d", sourceOf(source), port)] += uint64(count)
	}
}

// count receives until the stop instant and writes a line per bin.
func (s *sink) count(series *bufio.Writer) error {
	if _, err := series.WriteString("{}\n"); err != nil { // it is ready
		return err
	}
	if err := series.Flush(); err != nil {
		return err
	}
	binNanos := (time.Duration(s.binMillis) * time.Millisecond).Nanoseconds()
	for nextLine := nowNanos(); ; {
		s.receive()
		now := nowNanos()
		if now >= nextLine {
			if err := s.writeLine(series, now); err != nil {
				return err
			}
			nextLine = now + binNanos
		}
		if now >= s.stopNanos {
			return nil
		}
		sleepUntil(min(nextLine, now+pollNanos))
	}
}

func (s *sink) receive() {
	var ready [mostEvents]unix.EpollEvent
	count, err := unix.EpollWait(s.events, ready[:], 0)
	if err != nil {
		return // interrupted: the next turn receives
	}
	for _, event := range ready[:count] {
		if receive, ok := s.sockets[int(event.Fd)]; ok {
			receive()
		}
	}
}

func (s *sink) writeLine(series *bufio.Writer, now int64) error {
	line, err := json.Marshal(struct {
		TNanos int64             `json:"tNanos"`
		Bytes  map[string]uint64 `json:"bytes"`
	}{now, s.received})
	if err != nil {
		return err
	}
	if _, err := series.Write(append(line, '\n')); err != nil {
		return err
	}
	return series.Flush() // whole lines, for those who read meanwhile
}
