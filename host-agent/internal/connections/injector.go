// SPDX-License-Identifier: Apache-2.0

package connections

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/rawframe"
	"github.com/sluice-sdn/sluice/host-agent/internal/segment"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// injector sends segments to endpoints in their peers' name, out of the VM-facing devices. They pass the
// shim, which recognizes them by their mark as the agent's and fits their windows.
type injector struct {
	socket   rawframe.Socket
	mark     int // of the socket
	injected Injected
}

// Injected counts the segments sent to endpoints in their peers' name.
type Injected struct {
	// WindowUpdates and DuplicateAcknowledgements, those that the shim found to be of no use included.
	WindowUpdates             uint64 `json:"windowUpdates"`
	DuplicateAcknowledgements uint64 `json:"duplicateAcknowledgements"`
	// Handshakes are SYN-ACKs released after they have waited.
	Handshakes uint64 `json:"handshakes"`
}

func openInjector() (*injector, error) {
	socket, err := rawframe.Open()
	if err != nil {
		return nil, fmt.Errorf("socket towards endpoints: %w", err)
	}
	return &injector{socket: socket}, nil
}

func (i *injector) close() error { return i.socket.Close() }

func (i *injector) send(to model.Place, origin shim.Origin, frame []byte) error {
	if mark := origin.InVLAN(to.VLAN); mark != i.mark {
		if err := i.socket.Mark(mark); err != nil {
			return fmt.Errorf("mark frames to endpoints: %w", err)
		}
		i.mark = mark
	}
	err := i.socket.Send(frame, to.Ifindex)
	// ENOBUFS: the shim has dropped it, for it would have changed nothing.
	if err != nil && !errors.Is(err, unix.ENOBUFS) {
		return fmt.Errorf("send to an endpoint: %w", err)
	}
	return nil
}

// windowUpdate repeats the peer's last acknowledgement: the shim widens its window to what is granted now.
func (i *injector) windowUpdate(ifindex int, last shim.Acknowledgement) error {
	header, err := segment.Parse(last.Header[:last.Length])
	if err != nil {
		return err
	}
	i.injected.WindowUpdates++
	return i.send(model.Place{Ifindex: ifindex, VLAN: last.VLAN}, shim.OriginUpdate, header.Update(last.Sequence))
}

// handshake sends a SYN-ACK that has waited.
func (i *injector) handshake(to model.Place, frame []byte) error {
	segment.Complete(frame)
	i.injected.Handshakes++
	return i.send(to, shim.OriginHandshake, frame)
}

// duplicate sends an acknowledgement once more; the shim gives it the last one's window.
func (i *injector) duplicate(to model.Place, frame []byte) error {
	i.injected.DuplicateAcknowledgements++
	return i.send(to, shim.OriginRepeat, frame)
}
