// SPDX-License-Identifier: Apache-2.0

package htb

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

const attributeTypeMask = 0x3fff // without the flags "nested" and "in network order"

// attributesOf reads a row of rtnetlink attributes; of several of one type the last holds.
func attributesOf(row []byte) (map[uint16][]byte, error) {
	found := map[uint16][]byte{}
	for len(row) >= unix.SizeofRtAttr {
		length := int(binary.NativeEndian.Uint16(row))
		if length < unix.SizeofRtAttr || length > len(row) {
			return nil, errMalformed
		}
		kind := binary.NativeEndian.Uint16(row[2:]) & attributeTypeMask
		found[kind] = row[unix.SizeofRtAttr:length:length]
		row = row[min(len(row), (length+3)&^3):]
	}
	return found, nil
}

// text is an attribute's, which ends with a zero byte.
func text(attribute []byte) string {
	before, _, _ := bytes.Cut(attribute, []byte{0})
	return string(before)
}
