// SPDX-License-Identifier: Apache-2.0

// Package footprint records what an agent changed on its host and undoes it: at its own end, at
// the next start after it was killed, or by `sluice-agent cleanup`.
package footprint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"

	"github.com/sluice-sdn/sluice/host-agent/internal/bpffs"
	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/routes"
)

const (
	fileName   = "footprint.json"
	socketName = "agent.sock"
	flowsName  = "flows.sock"
)

// Footprint is what an agent leaves on a host besides its memory.
type Footprint struct {
	// RootInterface carries a root qdisc of ours; SavedRoot is what was there before.
	RootInterface string         `json:"rootInterface"`
	SavedRoot     *htb.SavedRoot `json:"savedRoot,omitempty"`
	// SuperPackets are the interfaces' bounds before we changed them.
	SuperPackets map[string]SuperPackets `json:"superPackets,omitempty"`
	// CongestionChoices are namespaces' congestion controls that we changed.
	CongestionChoices []choice.Chosen `json:"congestionChoices,omitempty"`
	// Layout is how the classes are numbered (htb.Layout); 0: there are none.
	Layout int   `json:"layout,omitempty"`
	State  State `json:"state,omitzero"`
	// Network is the network namespace (its inode) in which all this is.
	Network uint64 `json:"network"`

	runDirectory string
	bpfDirectory string
}

// State is what a successor needs to go on where this agent ended, however it ended.
type State struct {
	// Endpoints are those there were, by interface.
	Endpoints map[string]Endpoint `json:"endpoints,omitempty"`
	// Tenants are the numbers of their classes.
	Tenants map[string]int `json:"tenants,omitempty"`
	// Policies are the last that controllers decided, Overrides an operator's limits in bit/s; by interface.
	Policies  map[string]model.EndpointPolicy `json:"policies,omitempty"`
	Overrides map[string]uint64               `json:"overrides,omitempty"`
}

// Endpoint is one of an agent's.
type Endpoint struct {
	Index   int    `json:"index"` // in the shim and among the classes, from 1
	Ifindex int    `json:"ifindex"`
	MAC     string `json:"mac,omitempty"` // empty: not known yet
}

// New is an empty footprint of an agent with these directories; the caller holds the Lock.
func New(runDirectory, bpfDirectory string) (*Footprint, error) {
	if err := bpffs.Prepare(bpfDirectory); err != nil {
		return nil, err
	}
	inode, err := ownNetwork()
	if err != nil {
		return nil, err
	}
	return &Footprint{
		SuperPackets: map[string]SuperPackets{}, Network: inode,
		runDirectory: runDirectory, bpfDirectory: bpfDirectory,
	}, nil
}

// SocketPath is the agent's control socket below a run directory.
func SocketPath(runDirectory string) string { return filepath.Join(runDirectory, socketName) }

// FlowsSocketPath is the socket for applications that register flows with deadlines.
func FlowsSocketPath(runDirectory string) string { return filepath.Join(runDirectory, flowsName) }

// load reads what an earlier agent with these directories left; nil if nothing.
func load(runDirectory, bpfDirectory string) (*Footprint, error) {
	f := &Footprint{runDirectory: runDirectory, bpfDirectory: bpfDirectory}
	text, err := os.ReadFile(filepath.Join(runDirectory, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		pins, err := bpffs.Entries(bpfDirectory)
		if err != nil || len(pins) == 0 {
			return nil, err
		}
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("footprint: %w", err)
	}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("footprint %s: %w", filepath.Join(runDirectory, fileName), err)
	}
	return f, nil
}

// Save writes the footprint; called before the change that it describes.
func (f *Footprint) Save() error {
	if err := writeJSON(filepath.Join(f.runDirectory, fileName), f); err != nil {
		return fmt.Errorf("footprint: %w", err)
	}
	return nil
}

// writeJSON replaces a file in one step.
func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Undo removes every trace. An interface that has gone meanwhile is fine.
func (f *Footprint) Undo() error {
	// Choices first: no namespace may be left with a control that its pin has gone with.
	failures := []error{
		choice.RestoreAll(f.CongestionChoices), routes.Undo(f.runDirectory), bpffs.Remove(f.bpfDirectory),
	}
	if f.RootInterface != "" {
		failures = append(failures, releaseRoot(f.RootInterface, f.SavedRoot))
	}
	for name, before := range f.SuperPackets {
		failures = append(failures, restoreSuperPackets(name, before))
	}
	failures = append(failures, removeFile(SocketPath(f.runDirectory)), removeFile(FlowsSocketPath(f.runDirectory)))
	if err := errors.Join(failures...); err != nil {
		return err // the file stays, so that cleanup can be tried again
	}
	return removeFile(filepath.Join(f.runDirectory, fileName))
}

// Earlier is what an earlier agent with these directories left, for its successor to go on with; nil if nothing.
// The caller holds the Lock, so that agent is not alive.
func Earlier(runDirectory, bpfDirectory string) (*Footprint, error) {
	earlier, err := load(runDirectory, bpfDirectory)
	if err != nil || earlier == nil {
		return nil, err
	}
	if err := checkNetwork(earlier.Network); err != nil {
		return nil, fmt.Errorf("take over what an earlier agent left: %w", err)
	}
	return earlier, nil
}

// Inherit takes over what is to be undone of an earlier agent's, and its state.
func (f *Footprint) Inherit(earlier *Footprint) {
	f.RootInterface, f.SavedRoot, f.Layout = earlier.RootInterface, earlier.SavedRoot, earlier.Layout
	f.State, f.CongestionChoices = earlier.State, earlier.CongestionChoices
	maps.Copy(f.SuperPackets, earlier.SuperPackets)
}

// ReleaseRoot gives an earlier agent's uplink back that is not this one's.
func ReleaseRoot(earlier *Footprint) error {
	return releaseRoot(earlier.RootInterface, earlier.SavedRoot)
}

// RestoreSuperPackets undoes what was changed on interfaces that are none of these.
func (f *Footprint) RestoreSuperPackets(kept map[string]bool) error {
	var failures []error
	for name, before := range f.SuperPackets {
		if kept[name] {
			continue
		}
		err := restoreSuperPackets(name, before)
		if err == nil {
			delete(f.SuperPackets, name)
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// CleanUp removes what an agent with these directories left, if anything; refused while it runs.
func CleanUp(runDirectory, bpfDirectory string) (found bool, err error) {
	lock, err := Acquire(runDirectory)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	return UndoEarlier(runDirectory, bpfDirectory)
}

// UndoEarlier removes what an earlier agent with these directories left, if anything. The caller
// holds the Lock, so that agent is not alive.
func UndoEarlier(runDirectory, bpfDirectory string) (found bool, err error) {
	earlier, err := load(runDirectory, bpfDirectory)
	if err != nil || earlier == nil {
		return false, err
	}
	if err := checkNetwork(earlier.Network); err != nil {
		return true, fmt.Errorf("remove what an earlier agent left: %w", err)
	}
	if err := earlier.Undo(); err != nil {
		return true, fmt.Errorf("remove what an earlier agent left: %w", err)
	}
	return true, nil
}

func releaseRoot(name string, saved *htb.SavedRoot) error {
	device, err := netlink.LinkByName(name)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	conn, err := htb.Dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Release(device.Attrs().Index, saved); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func restoreSuperPackets(name string, before SuperPackets) error {
	device, err := netlink.LinkByName(name)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return before.Put(&netlink.Handle{}, device)
}

func gone(err error) bool {
	var notFound netlink.LinkNotFoundError
	return errors.As(err, &notFound)
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Chosen are the congestion controls that namespaces have by us.
func (f *Footprint) Chosen() []choice.Chosen { return f.CongestionChoices }

// SetChosen records them before they are changed.
func (f *Footprint) SetChosen(chosen []choice.Chosen) error {
	f.CongestionChoices = chosen
	return f.Save()
}
