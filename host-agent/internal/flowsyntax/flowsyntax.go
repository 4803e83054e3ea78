// SPDX-License-Identifier: Apache-2.0

// Package flowsyntax reads a flow with a deadline as it is typed: SOURCE[:PORT] DESTINATION[:PORT] SIZE DUE.
package flowsyntax

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Help says how each part is typed.
const Help = `SOURCE and DESTINATION are IP addresses, IPv6 with a port as [fd00::1]:80; without a port the next
connection that fits. SIZE is the payload in bytes, or with kB, MB, GB. DUE is a duration from now such
as 300ms or 2s, or a time such as 2030-01-01T00:00:00Z.`

// Due is when the last byte must have arrived; one of both is there.
type Due struct {
	Millis   *float64
	Deadline *time.Time
}

// ParseDue reads a duration from now or a time.
func ParseDue(text string) (Due, error) {
	if duration, err := time.ParseDuration(text); err == nil && duration > 0 {
		millis := float64(duration) / float64(time.Millisecond)
		return Due{Millis: &millis}, nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return Due{Deadline: &at}, nil
	}
	return Due{}, fmt.Errorf("DUE %q: give a duration from now such as 300ms, or a time such as 2030-01-01T00:00:00Z", text)
}

// ParseEnd reads an address with or without a port; 0 is any.
func ParseEnd(what, text string) (address string, port int, err error) {
	if end, err := netip.ParseAddrPort(text); err == nil {
		return end.Addr().String(), int(end.Port()), nil
	}
	if end, err := netip.ParseAddr(text); err == nil {
		return end.String(), 0, nil
	}
	return "", 0, fmt.Errorf("%s %q: give an IP address, with a port if it matters: 10.0.0.1:5001", what, text)
}

// ParseSize reads bytes.
func ParseSize(text string) (int64, error) {
	number, factor := text, int64(1)
	for unit, bytes := range map[string]int64{"kB": 1e3, "MB": 1e6, "GB": 1e9} {
		if before, found := strings.CutSuffix(text, unit); found {
			number, factor = before, bytes
		}
	}
	size, err := strconv.ParseInt(number, 10, 64)
	if err != nil || size <= 0 || size > 1<<62/factor {
		return 0, fmt.Errorf("SIZE %q: give bytes above 0, as a whole number, or with kB, MB, GB", text)
	}
	return size * factor, nil
}
