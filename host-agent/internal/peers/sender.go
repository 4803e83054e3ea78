// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/rawframe"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
	"github.com/sluice-sdn/sluice/host-agent/internal/wire"
)

// frames is where frames go out of devices.
type frames interface {
	Send(frame []byte, ifindex int) error
	Close() error
}

var _ frames = rawframe.Socket(0)

// sender sends messages back by the path that the data came by.
type sender struct {
	socket  frames
	encoder wire.Encoder
	frame   [wire.MaxFrameLength]byte
	tagged  [wire.MaxFrameLength + vlanTagBytes]byte
	status  *Status
}

// feedback reports whether the message went out.
func (s *sender) feedback(message *model.Feedback, from wire.MAC, to shim.ReturnPath) bool {
	length, err := s.encoder.EncodeFeedback(s.frame[:], message, from, to.MAC)
	return s.send(length, to, err)
}

func (s *sender) echo(message *wire.Echo, from wire.MAC, to shim.ReturnPath) {
	length, err := s.encoder.EncodeEcho(s.frame[:], message, from, to.MAC)
	s.send(length, to, err)
}

func (s *sender) share(message *wire.Share, from wire.MAC, to shim.ReturnPath) {
	length, err := s.encoder.EncodeShare(s.frame[:], message, from, to.MAC)
	s.send(length, to, err)
}

func (s *sender) introduction(message *wire.Introduction, from wire.MAC, to shim.ReturnPath) {
	length, err := s.encoder.EncodeIntroduction(s.frame[:], message, from, to.MAC)
	s.send(length, to, err)
}

// send sends what was encoded, if it was: out of the device that the data came in by, and in their VLAN. It reports
// whether it did.
func (s *sender) send(length int, to shim.ReturnPath, err error) bool {
	if err == nil {
		frame := s.frame[:length]
		if to.VLAN != 0 {
			frame = s.tag(frame, to.VLAN)
		}
		err = s.socket.Send(frame, to.Ifindex)
	}
	if err != nil {
		s.status.Unsent++
		return false
	}
	s.status.Sent++
	return true
}

const (
	macBytes     = 12 // both MACs
	vlanTagBytes = 4
)

// tag puts a VLAN tag into a frame (IEEE 802.1Q).
func (s *sender) tag(frame []byte, control uint16) []byte {
	copy(s.tagged[:], frame[:macBytes])
	binary.BigEndian.PutUint16(s.tagged[macBytes:], unix.ETH_P_8021Q)
	binary.BigEndian.PutUint16(s.tagged[macBytes+2:], control)
	copy(s.tagged[macBytes+vlanTagBytes:], frame[macBytes:])
	return s.tagged[:len(frame)+vlanTagBytes]
}
