// SPDX-License-Identifier: Apache-2.0

// Package congestion loads congestion controls into the kernel's TCP, and has network namespaces use them.
package congestion

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
	"github.com/sluice-sdn/sluice/host-agent/internal/mapped"
)

// pinPrefix is before a control's name among an agent's pins.
const pinPrefix = "congestion-"

// goesWithin is far longer than the kernel takes to give a name up whose pin has been removed.
const goesWithin = 5 * time.Second

// Status is one control's. Counters begin with the agent.
type Status struct {
	Name string `json:"name"`
	// Connections are open.
	Connections uint64 `json:"connections"`
	// ConnectionsWithoutECN began with a peer that has not agreed on ECN, and use cubic; LastWithoutECN is the last one's.
	ConnectionsWithoutECN uint64 `json:"connectionsWithoutECN"`
	LastWithoutECN        string `json:"lastWithoutECN,omitempty"`
	// ReceivedMarks are segments that came with CE; AcknowledgedMarks those sent that peers reported as marked.
	ReceivedMarks     uint64 `json:"receivedMarks"`
	AcknowledgedMarks uint64 `json:"acknowledgedMarks"`
	// Reductions of windows, at most one for each; LossReductions of them were for losses.
	Reductions     uint64 `json:"reductions"`
	LossReductions uint64 `json:"lossReductions"`
	// LeftOutCalls are calls of our programs for a reduction's threshold that the kernel did not make.
	LeftOutCalls uint64 `json:"leftOutCalls"`
}

// foreign are the programs of the other control, by control.
var foreign = map[string][]string{
	choice.DCTCP:   {bpfProgDadctcpInit, bpfProgDadctcpFollow, bpfProgTimeRoundTrip},
	choice.DADCTCP: {bpfProgDctcpInit, bpfProgDctcpFollow},
}

// Controls are in the kernel until they are removed.
type Controls struct {
	names    []string
	counters *ebpf.Map
	state    *mapped.Array[bpfCongestion]
	loaded   map[string]*ebpf.Collection
	links    []link.Link
}

// Load puts the controls into the kernel and pins them, instead of those that an earlier agent pinned in the same
// place. Connections that use those go on with them. A failure leaves none.
func Load(settings Settings) (*Controls, error) {
	if err := RemovePins(settings.BPFDirectory); err != nil {
		return nil, err
	}
	spec, err := loadBpf()
	if err != nil {
		return nil, fmt.Errorf("BPF programs: %w", err)
	}
	return loadFrom(spec, settings)
}

func loadFrom(spec *ebpf.CollectionSpec, settings Settings) (*Controls, error) {
	c := &Controls{}
	if err := c.load(spec, settings.Controls, settings.QueueBound); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	for _, name := range settings.Controls {
		if err := c.register(name, settings.BPFDirectory, cmp.Or(settings.goesWithin, goesWithin)); err != nil {
			return nil, errors.Join(err, c.Close(), RemovePins(settings.BPFDirectory))
		}
	}
	return c, nil
}

// Probe reports whether this kernel takes the controls; it registers none.
func Probe() error {
	spec, err := loadBpf()
	if err != nil {
		return fmt.Errorf("BPF programs: %w", err)
	}
	var c Controls
	return errors.Join(c.load(spec, choice.Names, 0), c.Close())
}

// RemovePins removes what an agent pinned below directory. The kernel then forgets the controls; connections that
// use them go on with them.
func RemovePins(directory string) error {
	var failures []error
	for _, name := range choice.Names {
		err := os.Remove(filepath.Join(directory, pinPrefix+name))
		if !errors.Is(err, fs.ErrNotExist) {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

func (c *Controls) load(spec *ebpf.CollectionSpec, names []string, queueBound time.Duration) (err error) {
	if err := spec.Variables[bpfVarQueueBoundNanos].Set(uint64(queueBound.Nanoseconds())); err != nil {
		return fmt.Errorf("BPF programs: %w", err)
	}
	if c.counters, err = ebpf.NewMap(spec.Maps[bpfMapCongestions]); err != nil {
		return fmt.Errorf("load congestion controls: %w", err)
	}
	if c.state, err = mapped.Open[bpfCongestion](c.counters); err != nil {
		return err
	}
	c.names, c.loaded = names, map[string]*ebpf.Collection{}
	for _, name := range names {
		loaded, err := loadOne(spec.Copy(), name, c.counters)
		if err != nil {
			return fmt.Errorf("load congestion control %s: %w", name, err)
		}
		c.loaded[name] = loaded
	}
	return nil
}

// loadOne loads a control by itself. The loader finds a control's programs by the operation that they are for: with
// two controls at once either may get the other's, by chance.
func loadOne(spec *ebpf.CollectionSpec, name string, counters *ebpf.Map) (*ebpf.Collection, error) {
	for _, other := range choice.Names {
		if other != name {
			delete(spec.Maps, other)
		}
	}
	for _, program := range foreign[name] {
		delete(spec.Programs, program)
	}
	return ebpf.NewCollectionWithOptions(spec, ebpf.CollectionOptions{
		MapReplacements: map[string]*ebpf.Map{bpfMapCongestions: counters},
	})
}

func (c *Controls) register(name, directory string, goesWithin time.Duration) error {
	operations := c.loaded[name].Maps[name]
	registered, err := link.AttachStructOps(link.StructOpsOptions{Map: operations})
	// The kernel gives up the name of a control that was just unpinned a moment later.
	for end := time.Now().Add(goesWithin); errors.Is(err, unix.EEXIST) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
		registered, err = link.AttachStructOps(link.StructOpsOptions{Map: operations})
	}
	if errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("congestion control %s: somebody else has loaded one of that name, and a kernel has one for all "+
			"its namespaces: stop the other agent, or remove congestionControls from this one's file", name)
	}
	if err != nil {
		return fmt.Errorf("congestion control %s: register: %w", name, err)
	}
	c.links = append(c.links, registered)
	if err := registered.Pin(filepath.Join(directory, pinPrefix+name)); err != nil {
		return fmt.Errorf("congestion control %s: pin: %w", name, err)
	}
	return nil
}

// Close leaves what is pinned in the kernel.
func (c *Controls) Close() error {
	failures := []error{c.state.Close()}
	for _, registered := range c.links {
		failures = append(failures, registered.Close())
	}
	for _, collection := range c.loaded {
		collection.Close()
	}
	c.links, c.loaded = nil, nil
	if c.counters != nil {
		failures = append(failures, c.counters.Close())
	}
	return errors.Join(failures...)
}

// Status reads the counters.
func (c *Controls) Status() []Status {
	all := make([]Status, 0, len(c.names))
	for number, name := range choice.Names {
		for _, loaded := range c.names {
			if loaded == name {
				all = append(all, statusOf(name, c.state.At(number)))
			}
		}
	}
	return all
}

func statusOf(name string, counters *bpfCongestion) Status {
	ended := atomic.LoadUint64(&counters.EndedConnections) // first: none has ended that had not begun
	s := Status{
		Name:                  name,
		Connections:           atomic.LoadUint64(&counters.BegunConnections) - ended,
		ConnectionsWithoutECN: atomic.LoadUint64(&counters.ConnectionsWithoutEcn),
		ReceivedMarks:         atomic.LoadUint64(&counters.ReceivedMarks),
		AcknowledgedMarks:     atomic.LoadUint64(&counters.AcknowledgedMarks),
		Reductions:            atomic.LoadUint64(&counters.Reductions),
		LossReductions:        atomic.LoadUint64(&counters.LossReductions),
		LeftOutCalls:          atomic.LoadUint64(&counters.LeftOutCalls),
	}
	if s.ConnectionsWithoutECN > 0 {
		peer := netip.AddrFrom16(counters.LastWithoutEcn).Unmap()
		s.LastWithoutECN = netip.AddrPortFrom(peer, uint16(counters.LastWithoutEcnPort)).String()
	}
	return s
}
