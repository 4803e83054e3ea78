// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"

	"github.com/sluice-sdn/sluice/host-agent/internal/mapped"
)

// pool has the shims that no test uses now: the verifier takes most of a second for each that is loaded. Tests of
// this package do not run beside each other.
var pool []*Shim

// takeShim gives a test a shim as if it were loaded for it.
func takeShim(t testing.TB) *Shim {
	t.Helper()
	if len(pool) == 0 {
		s, err := Load([]int{uplinkIfindex}, testProtocol)
		if err != nil {
			t.Fatalf("%v (this test needs root)", err)
		}
		t.Cleanup(func() { pool = append(pool, s) })
		return s
	}
	used := pool[len(pool)-1]
	pool = pool[:len(pool)-1]
	if err := used.empty(); err != nil {
		t.Fatal(errors.Join(err, used.Close()))
	}
	s, err := newShim(used.objects, used.flowTable, []int{uplinkIfindex}, testProtocol)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool = append(pool, s) })
	return s
}

// empty brings every map to what it was when it was made.
func (s *Shim) empty() error {
	zero(s.state)
	zero(s.endpoints)
	zero(s.interfaceCache)
	zero(s.groups)
	zero(s.pairs)
	zero(s.connections)
	failures := []error{s.unmap(), flush(s.objects.Events)}
	for _, each := range []*ebpf.Map{
		s.objects.ConnectionSlots, s.objects.Destinations, s.objects.Grants, s.objects.Interfaces,
		s.objects.MacOwners, s.objects.Owners, s.objects.PairSlots,
	} {
		failures = append(failures, deleteAll(each))
	}
	for _, each := range []*ebpf.Map{s.objects.FreeConnections, s.objects.FreeSlots} {
		failures = append(failures, popAll(each))
	}
	for _, each := range []*ebpf.Map{s.objects.FlowTables, s.objects.SystemCgroups} {
		failures = append(failures, deleteElements(each))
	}
	failures = append(failures, zeroElements[bpfDatagram](s.objects.Datagrams), zeroElements[bpfSystem](s.objects.Systems))
	ended := make([]bpfFlowSizes, ebpf.MustPossibleCPU())
	return errors.Join(append(failures, s.objects.EndedFlows.Put(uint32(0), ended))...)
}

func zero[T any](array *mapped.Array[T]) {
	var nothing T
	for i := range array.Len() {
		*array.At(i) = nothing
	}
}

// deleteAll deletes every key of a hash table.
func deleteAll(m *ebpf.Map) error {
	for {
		key, err := m.NextKeyBytes(nil)
		if err != nil || key == nil {
			return err
		}
		if err := m.Delete(key); err != nil {
			return err
		}
	}
}

func popAll(stack *ebpf.Map) error {
	var slot uint32
	for {
		if err := stack.LookupAndDelete(nil, &slot); errors.Is(err, ebpf.ErrKeyNotExist) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// deleteElements deletes those of an array of maps or cgroups.
func deleteElements(m *ebpf.Map) error {
	for i := range m.MaxEntries() {
		if err := m.Delete(i); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			return err
		}
	}
	return nil
}

func zeroElements[T any](array *ebpf.Map) error {
	keys := make([]uint32, array.MaxEntries())
	for i := range keys {
		keys[i] = uint32(i)
	}
	_, err := array.BatchUpdate(keys, make([]T, len(keys)), nil)
	return err
}

// flush takes what is in a ring buffer.
func flush(events *ebpf.Map) error {
	reader, err := ringbuf.NewReader(events)
	if err != nil {
		return err
	}
	reader.SetDeadline(time.Unix(0, 0))
	for err == nil {
		_, err = reader.Read()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return errors.Join(err, reader.Close())
}
