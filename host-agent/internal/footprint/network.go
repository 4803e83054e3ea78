// SPDX-License-Identifier: Apache-2.0

package footprint

import (
	"errors"
	"fmt"

	"github.com/sluice-sdn/sluice/host-agent/internal/netspace"
)

func ownNetwork() (uint64, error) { return netspace.InodeOf(netspace.Own) }

// errOtherNamespace: the traces are in a network namespace other than ours.
var errOtherNamespace = errors.New("run cleanup inside the agent's own network namespace")

// checkNetwork refuses to undo what was done in another network namespace, as long as that one
// still exists: its devices are out of reach from here. One that is gone took its devices with it.
func checkNetwork(inode uint64) error {
	here, err := ownNetwork()
	if err != nil || inode == 0 || inode == here {
		return err
	}
	holder, err := netspace.Find(netspace.Own, inode)
	if err != nil || holder == "" {
		return err
	}
	return fmt.Errorf("%w (nsenter --net=%s)", errOtherNamespace, holder)
}
