// SPDX-License-Identifier: Apache-2.0

// Package mapped gives typed access to BPF arrays that are shared memory: reading a counter or
// writing a limit costs no system call.
package mapped

import (
	"fmt"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// Array is a memory-mapped BPF array of T. Programs write to it at any time: fields that both
// sides touch are read and written through sync/atomic.
type Array[T any] struct {
	memory []byte
	stride uintptr
	length int
}

// Open maps an array made with BPF_F_MMAPABLE. T must have the size of the map's values.
func Open[T any](m *ebpf.Map) (*Array[T], error) {
	var value T
	if unsafe.Sizeof(value) != uintptr(m.ValueSize()) {
		return nil, fmt.Errorf("map %s: values of %d bytes, the agent expects %d",
			m, m.ValueSize(), unsafe.Sizeof(value))
	}
	stride := (uintptr(m.ValueSize()) + 7) &^ 7
	length := int(m.MaxEntries())
	page := unix.Getpagesize()
	size := (int(stride)*length + page - 1) / page * page
	memory, err := unix.Mmap(m.FD(), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: mmap: %w", m, err)
	}
	return &Array[T]{memory: memory, stride: stride, length: length}, nil
}

// Len is the number of elements.
func (a *Array[T]) Len() int { return a.length }

// At points at an element; it panics outside [0, Len).
func (a *Array[T]) At(index int) *T {
	if index < 0 || index >= a.length {
		panic(fmt.Sprintf("mapped: index %d outside [0, %d)", index, a.length))
	}
	return (*T)(unsafe.Pointer(&a.memory[uintptr(index)*a.stride]))
}

// Close unmaps; pointers from At are invalid afterwards. An array that was never opened, nil, has
// nothing to close.
func (a *Array[T]) Close() error {
	if a == nil {
		return nil
	}
	memory := a.memory
	a.memory, a.length = nil, 0
	if memory == nil {
		return nil
	}
	return unix.Munmap(memory)
}
