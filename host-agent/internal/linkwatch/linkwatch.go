// SPDX-License-Identifier: Apache-2.0

// Package linkwatch reports when the interfaces of a network namespace or their addresses may have
// changed, and lists them. It reads no meaning into the kernel's notifications: several mean less than they seem to
// (a port that leaves its bridge is announced as deleted), and under load some are lost.
package linkwatch

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Watcher watches the network namespace of the thread that opened it.
type Watcher struct {
	socket  *nl.NetlinkSocket
	handle  *netlink.Handle
	network *os.File
	changes chan struct{}
	closed  chan struct{}
}

// receiveBufferBytes holds some thousand notifications; what exceeds it is made up for by a listing.
const receiveBufferBytes = 1 << 20

// Open starts watching. Close ends it.
func Open() (*Watcher, error) {
	network, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return nil, fmt.Errorf("watch interfaces: %w", err)
	}
	w := &Watcher{network: network, changes: make(chan struct{}, 1), closed: make(chan struct{})}
	if w.handle, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return nil, errors.Join(fmt.Errorf("watch interfaces: %w", err), network.Close())
	}
	if w.socket, err = nl.Subscribe(unix.NETLINK_ROUTE,
		unix.RTNLGRP_LINK, unix.RTNLGRP_IPV4_IFADDR, unix.RTNLGRP_IPV6_IFADDR); err != nil {
		w.handle.Close()
		return nil, errors.Join(fmt.Errorf("watch interfaces: %w", err), network.Close())
	}
	_ = w.socket.SetReceiveBufferSize(receiveBufferBytes, true) // a smaller one overflows sooner
	go w.receive()
	return w, nil
}

// unexpectedPause keeps a socket that only fails from taking a whole processor.
const unexpectedPause = 100 * time.Millisecond

// receive notes every notification until the watcher is closed.
func (w *Watcher) receive() {
	defer close(w.changes)
	for {
		_, _, err := w.socket.Receive()
		pause := time.Duration(0)
		if err != nil && !errors.Is(err, unix.ENOBUFS) {
			pause = unexpectedPause
		}
		select {
		case <-w.closed:
			return
		case <-time.After(pause):
		}
		// After an error, too: something was lost, so something may have changed.
		select {
		case w.changes <- struct{}{}:
		default:
		}
	}
}

// Changes receives whenever something may have changed since the last receipt; it is closed with
// the watcher.
func (w *Watcher) Changes() <-chan struct{} { return w.changes }

// List lists all interfaces. For one goroutine.
func (w *Watcher) List() ([]netlink.Link, error) { return undisturbed(w.handle.LinkList) }

// Handle is of the namespace that is watched. For the goroutine of List.
func (w *Watcher) Handle() *netlink.Handle { return w.handle }

// Link finds an interface by its index. For the goroutine of List.
func (w *Watcher) Link(ifindex int) (netlink.Link, error) { return w.handle.LinkByIndex(ifindex) }

// Addresses lists the addresses of all interfaces. For the goroutine of List.
func (w *Watcher) Addresses() ([]netlink.Addr, error) {
	return undisturbed(func() ([]netlink.Addr, error) { return w.handle.AddrList(nil, netlink.FAMILY_ALL) })
}

// Peer is a veth's other end as it is now, in whatever network namespace that is; nil if it is in the same one. For the
// goroutine of List, in the namespace that is watched.
func (w *Watcher) Peer(veth netlink.Link) (netlink.Link, error) {
	attributes := veth.Attrs()
	if attributes.NetNsID < 0 {
		return nil, nil
	}
	request := nl.NewNetlinkRequest(unix.RTM_GETLINK, 0)
	message := nl.NewIfInfomsg(unix.AF_UNSPEC)
	message.Index = int32(attributes.ParentIndex)
	request.AddData(message)
	request.AddData(nl.NewRtAttr(unix.IFLA_TARGET_NETNSID, nl.Uint32Attr(uint32(attributes.NetNsID))))
	answers, err := request.Execute(unix.NETLINK_ROUTE, unix.RTM_NEWLINK)
	if err == nil && len(answers) != 1 {
		err = unix.ENODEV
	}
	if err != nil {
		return nil, fmt.Errorf("%s: its other end: %w", attributes.Name, err)
	}
	return netlink.LinkDeserialize(nil, answers[0])
}

// undisturbed lists again what changed while it was listed.
func undisturbed[T any](list func() ([]T, error)) ([]T, error) {
	const attempts = 10
	for attempt := 1; ; attempt++ {
		all, err := list()
		if err == nil || attempt == attempts || !errors.Is(err, netlink.ErrDumpInterrupted) {
			return all, err
		}
	}
}

// Enter puts the calling goroutine for good into the namespace that is watched: programs are
// attached to interfaces of the attaching thread's.
func (w *Watcher) Enter() error {
	runtime.LockOSThread() // never unlocked: the runtime ends the thread with the goroutine
	var here, there unix.Stat_t
	if err := unix.Stat("/proc/thread-self/ns/net", &here); err != nil {
		return fmt.Errorf("network namespace: %w", err)
	}
	if err := unix.Fstat(int(w.network.Fd()), &there); err != nil {
		return fmt.Errorf("network namespace: %w", err)
	}
	if here.Ino == there.Ino && here.Dev == there.Dev {
		return nil
	}
	if err := unix.Setns(int(w.network.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("network namespace: %w", err)
	}
	return nil
}

// Close ends watching; once only.
func (w *Watcher) Close() error {
	close(w.closed)
	w.socket.Close()
	w.handle.Close()
	return w.network.Close()
}
