// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	maxRateBitsPerSecond = 100_000_000_000_000
	// maxPortNumber is OpenFlow's OFPP_MAX: numbers above it are not of physical or logical ports.
	maxPortNumber = 0xffffff00
	// staleBit lies above every capacity.
	staleBit = uint64(1) << 63
)

// Share is a port's unit share as the controller published it last, passed on by the agent of a
// destination to that of a source whose packets are marked.
type Share struct {
	// Pair is the marked one.
	Pair     model.Pair
	Sequence uint64
	// Port must Travel.
	Port                   model.Port
	UnitShareBitsPerSecond uint64
	CapacityBitsPerSecond  uint64
	// ActiveWeight travels as 32 bits.
	ActiveWeight float64
	// Stale: the relaying agent has not received it from a controller recently.
	Stale bool
}

// IsEncodable reports that a port's name can be sent: "of:", the datapath id as 16 lower-case hexadecimal
// digits, "/", and the OpenFlow number in decimal.
func IsEncodable(port model.Port) bool {
	_, _, ok := splitPort(port)
	return ok
}

func splitPort(port model.Port) (datapath uint64, number uint32, ok bool) {
	device, after, found := strings.Cut(string(port), "/")
	digits, isOpenFlow := strings.CutPrefix(device, "of:")
	if !found || !isOpenFlow {
		return 0, 0, false
	}
	datapath, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return 0, 0, false
	}
	wide, err := strconv.ParseUint(after, 10, 32)
	if err != nil || !isPortNumber(uint32(wide)) {
		return 0, 0, false
	}
	// Only what reads the same at the other end: a name is compared as text.
	return datapath, uint32(wide), joinPort(datapath, uint32(wide)) == port
}

func joinPort(datapath uint64, number uint32) model.Port {
	return model.Port(fmt.Sprintf("of:%016x/%d", datapath, number))
}

func isPortNumber(number uint32) bool { return number >= 1 && number <= maxPortNumber }

// EncodeShare writes the whole frame, like EncodeFeedback.
func (e *Encoder) EncodeShare(buffer []byte, share *Share, from, to MAC) (int, error) {
	d, err := e.begin(buffer, typeShare, share.Pair.Destination, share.Pair.Source, from, to)
	if err != nil {
		return 0, err
	}
	datapath, number, ok := splitPort(share.Port)
	weight := float32(share.ActiveWeight)
	if !ok || !consistentShare(share.UnitShareBitsPerSecond, share.CapacityBitsPerSecond, weight) {
		return 0, ErrInconsistent
	}
	binary.BigEndian.PutUint32(d.message[8:], number)
	binary.BigEndian.PutUint32(d.message[12:], math.Float32bits(weight))
	binary.BigEndian.PutUint64(d.message[16:], share.Sequence)
	binary.BigEndian.PutUint64(d.message[24:], datapath)
	binary.BigEndian.PutUint64(d.message[32:], share.UnitShareBitsPerSecond)
	capacity := share.CapacityBitsPerSecond
	if share.Stale {
		capacity |= staleBit
	}
	binary.BigEndian.PutUint64(d.message[40:], capacity)
	return e.seal(d), nil
}

func readShare(pair model.Pair, message []byte) (Share, error) {
	number := binary.BigEndian.Uint32(message[8:])
	weight := math.Float32frombits(binary.BigEndian.Uint32(message[12:]))
	capacity := binary.BigEndian.Uint64(message[40:])
	share := Share{
		Pair:                   pair,
		Sequence:               binary.BigEndian.Uint64(message[16:]),
		UnitShareBitsPerSecond: binary.BigEndian.Uint64(message[32:]),
		CapacityBitsPerSecond:  capacity &^ staleBit,
		ActiveWeight:           float64(weight),
		Stale:                  capacity&staleBit != 0,
	}
	if !isPortNumber(number) ||
		!consistentShare(share.UnitShareBitsPerSecond, share.CapacityBitsPerSecond, weight) {
		return Share{}, ErrInconsistent
	}
	share.Port = joinPort(binary.BigEndian.Uint64(message[24:]), number)
	return share, nil
}

// consistentShare holds for what a controller may publish. A unit share above the capacity is
// right where weights are below 1.
func consistentShare(unitShare, capacity uint64, weight float32) bool {
	return unitShare >= 1 && unitShare <= maxRateBitsPerSecond &&
		capacity >= 1 && capacity <= maxRateBitsPerSecond &&
		weight >= 0 && !math.IsInf(float64(weight), 1)
}
