// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/htb"
	"github.com/sluice-sdn/sluice/host-agent/internal/interfaces"
	"github.com/sluice-sdn/sluice/host-agent/internal/pairs"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// installation is what an agent has on its host while it runs: classes on the uplink, programs, pins.
type installation struct {
	config  config.Host
	lock    *footprint.Lock
	devices *netlink.Handle
	traces  *footprint.Footprint
	uplink  interfaces.Uplink
	conn    *htb.Conn
	tree    *htb.Tree
	shim    *shim.Shim
}

func (i *installation) lockDirectory() (err error) {
	i.lock, err = footprint.Acquire(i.config.RunDirectory)
	return err
}

// prepare removes what an earlier agent left, if there is any, and finds the uplink.
func (i *installation) prepare() (earlier bool, err error) {
	if earlier, err = footprint.UndoEarlier(i.config.RunDirectory, i.config.BPFDirectory); err != nil {
		return earlier, err
	}
	if i.traces, err = footprint.New(i.config.RunDirectory, i.config.BPFDirectory); err != nil {
		return earlier, err
	}
	if i.devices, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return earlier, fmt.Errorf("netlink: %w", err)
	}
	i.uplink, err = interfaces.FindUplink(i.devices, i.config.Uplink)
	return earlier, err
}

// install makes the uplink's classes and loads the programs, which are attached to nothing yet.
func (i *installation) install() (err error) {
	if i.conn, err = htb.Dial(); err != nil {
		return err
	}
	i.traces.RootInterface = i.uplink.Name
	i.tree, err = htb.NewTree(i.conn, i.uplink.Name, i.uplink.Ifindex, i.uplink.MTU,
		i.config.Uplink.CapacityBitsPerSecond(), i.config.ReplaceRootQdisc)
	if err != nil {
		i.traces.RootInterface = ""
		return err
	}
	i.traces.SavedRoot = i.tree.SavedRoot()
	if err := i.traces.Save(); err != nil {
		return err
	}
	if i.shim, err = shim.Load(i.uplink.Ifindexes(), i.config.ControlProtocol); err != nil {
		return err
	}
	i.shim.SetUplinkPhantom(shim.PhantomOf(i.config.Uplink.ReceiveCeilingBitsPerSecond()))
	if own := i.config.System; own != nil {
		return i.shim.SetSystem(shim.System{Sources: own.Prefixes(), DSCPs: own.DSCPs(), Cgroups: len(own.Cgroups)})
	}
	return nil
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

// undo removes whatever of it is there.
func (i *installation) undo() error {
	var failures []error
	if i.shim != nil {
		failures = append(failures, i.shim.DetachAll(), i.shim.Close())
	}
	if i.traces != nil {
		failures = append(failures, i.traces.Undo())
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

func (h hostEndpoints) Remove(ifindex int) error {
	ended, err := h.Table.Remove(ifindex)
	h.pairs.Forget(ended)
	return err
}
