// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/rawframe"
	"github.com/sluice-sdn/sluice/host-agent/internal/segment"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

// voice sends frames to endpoints in their peers' name, out of the VM-facing devices. They pass the
// shim, which knows by their mark that they are the agent's and fits their windows.
type voice struct {
	socket rawframe.Socket
	mark   shim.Origin // of the socket
	VoiceStatus
}

// VoiceStatus counts what was said to endpoints in their peers' name.
type VoiceStatus struct {
	// WindowUpdates and DuplicateAcknowledgements, those that the shim found to be of no use included.
	WindowUpdates             uint64 `json:"windowUpdates"`
	DuplicateAcknowledgements uint64 `json:"duplicateAcknowledgements"`
	// Handshakes are SYN-ACKs passed on after they have waited.
	Handshakes uint64 `json:"handshakes"`
}

func openVoice() (*voice, error) {
	socket, err := rawframe.Open()
	if err != nil {
		return nil, fmt.Errorf("socket towards endpoints: %w", err)
	}
	return &voice{socket: socket}, nil
}

func (v *voice) close() error { return v.socket.Close() }

func (v *voice) send(ifindex int, origin shim.Origin, frame []byte) error {
	if origin != v.mark {
		if err := v.socket.Mark(int(origin)); err != nil {
			return fmt.Errorf("mark frames to endpoints: %w", err)
		}
		v.mark = origin
	}
	err := v.socket.Send(frame, ifindex)
	// ENOBUFS: the shim has dropped it, for it would have said nothing new.
	if err != nil && !errors.Is(err, unix.ENOBUFS) {
		return fmt.Errorf("send to an endpoint: %w", err)
	}
	return nil
}

// update repeats what the peer said last: the shim widens its window to what is granted now.
func (v *voice) update(ifindex int, last shim.Acknowledgement) error {
	header, err := segment.Parse(last.Header[:last.Length])
	if err != nil {
		return err
	}
	v.WindowUpdates++
	return v.send(ifindex, shim.OriginUpdate, header.Update(last.Sequence))
}

// handshake passes on a SYN-ACK that has waited.
func (v *voice) handshake(ifindex int, frame []byte) error {
	segment.Complete(frame)
	v.Handshakes++
	return v.send(ifindex, shim.OriginHandshake, frame)
}

// repeat says an acknowledgement once more; the shim gives it the last one's window.
func (v *voice) repeat(ifindex int, frame []byte) error {
	v.DuplicateAcknowledgements++
	return v.send(ifindex, shim.OriginRepeat, frame)
}
