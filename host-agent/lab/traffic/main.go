// SPDX-License-Identifier: Apache-2.0

// Command traffic sends and receives the packets of experiments. It is a compiled program to leave the
// two processors of a small machine to what forwards packets.
//
//	traffic flood --to ADDRESS --port N --rate-mbps R    UDP without congestion control
//	traffic sink --bind ADDRESS --udp-ports N --series FILE   counts what arrives, over time
//	traffic probe --to ADDRESS --port N                  sparse requests, and their round trips
//	traffic probe --answer-on ADDRESS --port N           answers them
//
// Every instant is one of CLOCK_MONOTONIC in nanoseconds, the same clock for all processes of a
// machine.
package main

import (
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"unsafe"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// window is when a program is active.
type window struct {
	startNanos, stopNanos int64
}

func main() {
	// Each program is one loop; a second processor would only hand it to and fro.
	runtime.GOMAXPROCS(1)
	root := &cobra.Command{
		Use: "traffic", Short: "Traffic of experiments", SilenceUsage: true, SilenceErrors: true,
	}
	root.AddCommand(floodCommand(), sinkCommand(), probeCommand())
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "traffic:", err)
		os.Exit(1)
	}
}

func (w *window) options(command *cobra.Command) {
	command.Flags().Int64Var(&w.startNanos, "start-nanos", 0, "begin at this instant")
	command.Flags().Int64Var(&w.stopNanos, "stop-nanos", 0, "end at this instant")
	require(command, "stop-nanos")
}

func require(command *cobra.Command, names ...string) {
	for _, name := range names {
		if err := command.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that was not declared
		}
	}
}

// nowNanos is CLOCK_MONOTONIC.
func nowNanos() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err) // the kernel has this clock
	}
	return now.Nano()
}

// sleepUntil returns at an instant, at once if that has passed. The runtime's own timers are coarser
// than the millisecond in which traffic is paced; and if it tracked the system call, it would hand
// the loop from one thread to the next at every turn, which costs more than sending does.
func sleepUntil(instantNanos int64) {
	until := unix.NsecToTimespec(instantNanos)
	for {
		_, _, failure := unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME,
			uintptr(unsafe.Pointer(&until)), 0, 0, 0)
		if failure != unix.EINTR {
			return
		}
	}
}

// socketOf is a socket of a kind (unix.SOCK_DGRAM, ...) for an address's family.
func socketOf(address netip.Addr, kind int) (int, error) {
	family := unix.AF_INET
	if address.Is6() {
		family = unix.AF_INET6
	}
	return unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
}

func socketAddress(address netip.Addr, port int) unix.Sockaddr {
	if address.Is6() {
		return &unix.SockaddrInet6{Port: port, Addr: address.As16()}
	}
	return &unix.SockaddrInet4{Port: port, Addr: address.As4()}
}

func sourceOf(address unix.Sockaddr) netip.Addr {
	switch source := address.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrFrom4(source.Addr)
	case *unix.SockaddrInet6:
		return netip.AddrFrom16(source.Addr)
	}
	return netip.Addr{}
}
