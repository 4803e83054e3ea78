// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/congestion"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/interfaces"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/pairs"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/cgroups"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints/routes"
)

// loader is shim.Load, or a test's.
type loader func(through []int, controlProtocol int, system bool) (*shim.Shim, error)

// installation is what an agent has on its host while it runs: classes on the uplink, programs, pins.
type installation struct {
	config       config.Host
	load         loader
	lock         *footprint.Lock
	devices      *netlink.Handle
	traces       *footprint.Footprint
	uplink       interfaces.Uplink
	conn         *htb.Conn
	tree         *htb.Tree
	shim         *shim.Shim
	earlier      *footprint.Footprint // an earlier agent's; nil: there was none
	earlierState *shim.Earlier        // the state of its programs
	// congestion keeps congestion controls in the kernel.
	congestion *congestion.Keeper
}

func (i *installation) lockDirectory() (err error) {
	i.lock, err = footprint.Acquire(i.config.RunDirectory)
	return err
}

// prepare finds the uplink, and what an earlier agent left, if there was one: it holds until it is replaced.
func (i *installation) prepare() (err error) {
	if i.earlier, err = footprint.Earlier(i.config.RunDirectory, i.config.BPFDirectory); err != nil {
		return err
	}
	if err := errors.Join(routes.Undo(i.config.RunDirectory), cgroups.RemovePins(i.config.BPFDirectory)); err != nil {
		return err // hints do not outlive their agent
	}
	if i.traces, err = footprint.New(i.config.RunDirectory, i.config.BPFDirectory); err != nil {
		return err
	}
	if i.earlier != nil {
		i.traces.Inherit(i.earlier)
	}
	if i.devices, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	i.uplink, err = interfaces.FindUplink(i.devices, i.config.Uplink)
	return err
}

// install makes the uplink's classes and loads the programs, which are attached to nothing yet. What an earlier
// agent left is replaced in place: its programs go on with its classes until each is, and where its classes
// cannot be kept nothing passes for so long.
func (i *installation) install() (err error) {
	if i.conn, err = htb.Dial(); err != nil {
		return err
	}
	if err := i.loadPrograms(); err != nil {
		return err
	}
	if i.earlier != nil {
		if i.earlierState, err = shim.ReadEarlier(i.config.BPFDirectory); err != nil {
			return err
		}
	}
	return i.takeUplink()
}

func (i *installation) loadPrograms() (err error) {
	if i.shim, err = i.load(i.uplink.Ifindexes(), i.config.ControlProtocol, i.config.System != nil); err != nil {
		return err
	}
	if levels := i.config.Levels; levels != nil {
		i.shim.SetLevels(shim.Levels{ThresholdBytes: levels.Thresholds(), DSCPs: levels.DSCPs(), Idle: levels.Idle()})
	}
	if own := i.config.System; own != nil {
		return i.shim.SetSystem(shim.System{Sources: own.Prefixes(), DSCPs: own.DSCPs(), Cgroups: len(own.Cgroups)})
	}
	return nil
}

// takeUplink goes on with the classes of an earlier agent, or makes the uplink's root anew.
func (i *installation) takeUplink() (err error) {
	name, capacity := i.uplink.Name, i.config.Uplink.CapacityBitsPerSecond()
	if i.keepsClasses() {
		i.tree, err = htb.TakeOverTree(i.conn, name, i.uplink.Ifindex, i.uplink.MTU, capacity, i.earlier.SavedRoot)
		if !errors.Is(err, htb.ErrNoTree) {
			return err
		}
	}
	if i.earlier != nil {
		if err := i.holdEarlier(); err != nil {
			return err
		}
	}
	i.traces.RootInterface, i.traces.Layout = name, htb.Layout
	if i.tree, err = htb.NewTree(i.conn, name, i.uplink.Ifindex, i.uplink.MTU, capacity, i.config.ReplaceRootQdisc); err != nil {
		if i.earlier == nil {
			i.traces.RootInterface = ""
		}
		return err
	}
	if i.earlier == nil || i.earlier.RootInterface != name {
		i.traces.SavedRoot = i.tree.SavedRoot()
	}
	return i.traces.Save()
}

// keepsClasses reports whether the earlier agent's classes are where this one's are to be, and numbered alike.
func (i *installation) keepsClasses() bool {
	return i.earlier != nil && i.earlier.RootInterface == i.uplink.Name && i.earlier.Layout == htb.Layout
}

// holdEarlier has the endpoints of an earlier agent, whose classes are about to go, send nothing until they are
// this one's.
func (i *installation) holdEarlier() error {
	i.shim.SetAfterLease(i.config.HoldsAfterLease())
	i.shim.RenewLease(clock.Nanos() + i.config.Lease().Nanoseconds())
	i.shim.SetEnforcing(bool(i.config.Enforcement))
	if err := i.shim.HoldEarlier(i.config.BPFDirectory); err != nil {
		return err
	}
	if root := i.earlier.RootInterface; root != "" && root != i.uplink.Name {
		return footprint.ReleaseRoot(i.earlier)
	}
	return nil
}

// restoreUplink puts back what somebody has removed from the uplink's classes; restored: there was something.
func (i *installation) restoreUplink() (restored bool, err error) {
	if restored, err = i.tree.Restore(i.config.ReplaceRootQdisc); err != nil {
		return false, err
	}
	if saved := i.tree.SavedRoot(); saved != i.traces.SavedRoot {
		i.traces.SavedRoot = saved
		return restored, i.traces.Save()
	}
	return restored, nil
}

// attachUplink lets messages in.
func (i *installation) attachUplink() error {
	for _, d := range i.uplink.Incoming() {
		if err := i.shim.AttachUplink(i.config.BPFDirectory, d.Ifindex); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	return nil
}

// loadCongestion loads the congestion controls, instead of an earlier agent's.
func (i *installation) loadCongestion(log *slog.Logger) (err error) {
	i.congestion, err = congestion.Start(congestion.Settings{
		Controls: i.config.CongestionControls, QueueBound: i.config.CongestionQueueBound(),
		Choices: i.config.CongestionNamespaces, Routes: i.config.CongestionRoutes, Cgroups: i.config.CongestionCgroups,
		RunDirectory: i.config.RunDirectory, BPFDirectory: i.config.BPFDirectory,
	}, i.traces, log)
	return err
}

// undo removes whatever of it is there.
func (i *installation) undo() error {
	failures := []error{i.congestion.Remove()}
	if i.shim != nil {
		failures = append(failures, i.shim.DetachAll())
	}
	if i.traces != nil {
		failures = append(failures, i.traces.Undo())
	}
	return errors.Join(append(failures, i.close())...)
}

// close leaves it as it is.
func (i *installation) close() error {
	failures := []error{i.congestion.Close()}
	if i.shim != nil {
		failures = append(failures, i.shim.Close())
	}
	if i.conn != nil {
		failures = append(failures, i.conn.Close())
	}
	if i.devices != nil {
		i.devices.Close()
	}
	return errors.Join(append(failures, i.lock.Release())...)
}

// hostEndpoints are the endpoints, with the pairs that end with them.
type hostEndpoints struct {
	*endpoints.Table
	pairs *pairs.Tracker
}

func (h hostEndpoints) Remove(place model.Place) error {
	ended, err := h.Table.Remove(place)
	h.pairs.Forget(ended)
	return err
}
