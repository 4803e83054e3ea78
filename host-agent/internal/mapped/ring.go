// SPDX-License-Identifier: Apache-2.0

package mapped

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// What precedes a record of a BPF ring buffer: its length with two flags, and what only the kernel reads.
const (
	recordHeadBytes = 8
	recordBusy      = 1 << 31
	recordDiscarded = 1 << 30
)

// Ring is a memory-mapped BPF ring buffer: reading what has come costs no system call, and nobody need be woken for
// it. For one goroutine, but for Wait and Close.
type Ring struct {
	consumer []byte // one page: the position up to which it has been read
	producer []byte // one page, the position up to which it was written, and twice the data
	data     []byte
	mask     uint64
	pending  uint64 // the length of the record that Next returned
	file     *os.File
	raw      syscall.RawConn
}

// OpenRing maps a ring buffer.
func OpenRing(m *ebpf.Map) (*Ring, error) {
	page, size := unix.Getpagesize(), int(m.MaxEntries())
	r := &Ring{mask: uint64(size - 1)}
	var err error
	if r.consumer, err = unix.Mmap(m.FD(), 0, page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return nil, fmt.Errorf("ring %s: mmap: %w", m, err)
	}
	if r.producer, err = unix.Mmap(m.FD(), int64(page), page+2*size, unix.PROT_READ, unix.MAP_SHARED); err != nil {
		return nil, errors.Join(fmt.Errorf("ring %s: mmap: %w", m, err), r.unmap())
	}
	r.data = r.producer[page:]
	descriptor, err := unix.FcntlInt(uintptr(m.FD()), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(descriptor, true) // so that the runtime polls it
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ring %s: %w", m, err), r.unmap())
	}
	r.file = os.NewFile(uintptr(descriptor), "ring")
	if r.raw, err = r.file.SyscallConn(); err != nil {
		return nil, errors.Join(fmt.Errorf("ring %s: %w", m, err), r.Close())
	}
	return r, nil
}

func position(page []byte) *uint64 { return (*uint64)(unsafe.Pointer(unsafe.SliceData(page))) }

// Next returns the next record that has come, valid until it is called again; nil: there is none. Call it until then:
// programs need not wake who has not read what came before.
func (r *Ring) Next() []byte {
	if r.data == nil {
		return nil // closed
	}
	at := *position(r.consumer) // nobody else writes it
	if r.pending > 0 {
		at += r.pending
		r.pending = 0
		atomic.StoreUint64(position(r.consumer), at)
	}
	for at < atomic.LoadUint64(position(r.producer)) {
		record := r.data[at&r.mask:]
		head := atomic.LoadUint32((*uint32)(unsafe.Pointer(unsafe.SliceData(record))))
		if head&recordBusy != 0 {
			return nil // its program wakes who waits
		}
		length := uint64(head &^ recordDiscarded)
		whole := (recordHeadBytes + length + 7) &^ 7
		if head&recordDiscarded == 0 {
			r.pending = whole
			return record[recordHeadBytes : recordHeadBytes+length : recordHeadBytes+length]
		}
		at += whole
		atomic.StoreUint64(position(r.consumer), at)
	}
	return nil
}

// Wait waits until there is something to read, or a program wakes who waits; os.ErrClosed: the ring was closed. What
// has come must have been read before it is called again.
func (r *Ring) Wait() error {
	woken := false
	return r.raw.Read(func(uintptr) bool {
		if woken {
			return true
		}
		woken = true
		return atomic.LoadUint64(position(r.consumer)) < atomic.LoadUint64(position(r.producer))
	})
}

// Stop ends Wait.
func (r *Ring) Stop() error { return r.file.Close() }

// Close unmaps; nobody waits or reads any more.
func (r *Ring) Close() error {
	err := r.file.Close()
	if errors.Is(err, os.ErrClosed) {
		err = nil
	}
	return errors.Join(err, r.unmap())
}

func (r *Ring) unmap() error {
	r.data = nil
	var failures []error
	for _, memory := range []*[]byte{&r.consumer, &r.producer} {
		if *memory != nil {
			failures = append(failures, unix.Munmap(*memory))
			*memory = nil
		}
	}
	return errors.Join(failures...)
}
