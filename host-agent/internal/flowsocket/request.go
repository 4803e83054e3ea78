// SPDX-License-Identifier: Apache-2.0

// Package flowsocket is the local socket by which applications beside an agent register flows with
// deadlines: one JSON request per line, one JSON answer per line, in the shapes of the controller's
// REST API.
package flowsocket

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// maxDue bounds how far away a deadline can be.
const maxDue = 366 * 24 * time.Hour

// Request is one of three.
type Request struct {
	Register *Registration `json:"register,omitempty"`
	Remove   *uint64       `json:"remove,omitempty"`
	List     *struct{}     `json:"list,omitempty"`
}

// Registration is the body of REST's POST /flows.
type Registration struct {
	Source          string   `json:"source"`
	SourcePort      int      `json:"sourcePort,omitempty"` // 0: any
	Destination     string   `json:"destination"`
	DestinationPort int      `json:"destinationPort,omitempty"` // 0: any
	SizeBytes       int64    `json:"sizeBytes"`
	DueInMillis     *float64 `json:"dueInMillis,omitempty"`
	// Deadline instead of DueInMillis, RFC 3339.
	Deadline *time.Time `json:"deadline,omitempty"`
	// BeginsInMillis until its connection begins, before the deadline.
	BeginsInMillis float64 `json:"beginsInMillis,omitempty"`
	Force          bool    `json:"force,omitempty"`
}

// decode reads a request. What is wrong with it is a Problem.
func decode(line []byte) (Request, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	var request Request
	if err := decoder.Decode(&request); err != nil {
		return Request{}, malformed("", "", "not a request: "+err.Error(),
			`send one line, {"register":{...}}, {"remove":ID} or {"list":{}}`)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Request{}, malformed("", "", "more than one request in a line", "send each in a line of its own")
	}
	given := 0
	for _, is := range []bool{request.Register != nil, request.Remove != nil, request.List != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return Request{}, malformed("", "", fmt.Sprintf("%d of register, remove and list", given), "give one of them")
	}
	return request, nil
}

// deadlineRequest checks a registration. What is wrong with it is a Problem.
func (r *Registration) deadlineRequest(now time.Time) (model.DeadlineRequest, error) {
	var none model.DeadlineRequest
	source, err := address("source", r.Source)
	if err != nil {
		return none, err
	}
	destination, err := address("destination", r.Destination)
	if err != nil {
		return none, err
	}
	if source.Is4() != destination.Is4() {
		return none, malformed("destination", r.Destination, "one end is IPv4, the other IPv6", "give both of one family")
	}
	for field, port := range map[string]int{"sourcePort": r.SourcePort, "destinationPort": r.DestinationPort} {
		if port < 0 || port > math.MaxUint16 {
			return none, malformed(field, fmt.Sprint(port), "not a port", "give 1 to 65535, or 0 for any")
		}
	}
	if r.SizeBytes <= 0 {
		return none, malformed("sizeBytes", fmt.Sprint(r.SizeBytes), "must be above 0", "give the payload's length")
	}
	due, err := r.due(now)
	if err != nil {
		return none, err
	}
	begins := time.Duration(r.BeginsInMillis * float64(time.Millisecond))
	if !(r.BeginsInMillis >= 0 && r.BeginsInMillis <= float64(maxDue.Milliseconds())) || begins >= due {
		return none, malformed("beginsInMillis", fmt.Sprint(r.BeginsInMillis), "must be 0 or above, and before the deadline",
			"give ms from now until the application connects, or leave it out")
	}
	return model.DeadlineRequest{
		Flow: model.FlowID{
			Source: source, SourcePort: uint16(r.SourcePort),
			Destination: destination, DestinationPort: uint16(r.DestinationPort),
		},
		SizeBytes: uint64(r.SizeBytes), DueInNanos: uint64(due), BeginsInNanos: uint64(begins), Force: r.Force,
	}, nil
}

func (r *Registration) due(now time.Time) (time.Duration, error) {
	switch {
	case r.DueInMillis != nil && r.Deadline != nil:
		return 0, malformed("deadline", r.Deadline.Format(time.RFC3339Nano), "dueInMillis is given as well", "give one of them")
	case r.DueInMillis != nil:
		millis := *r.DueInMillis
		if !(millis > 0 && millis <= float64(maxDue.Milliseconds())) {
			return 0, malformed("dueInMillis", fmt.Sprint(millis), "must be above 0 and within a year", "give ms from now")
		}
		return max(time.Duration(millis*float64(time.Millisecond)), 1), nil
	case r.Deadline != nil:
		due := r.Deadline.Sub(now)
		if due <= 0 || due > maxDue {
			return 0, malformed("deadline", r.Deadline.Format(time.RFC3339Nano),
				"is not within the year to come, by this host's clock", "give a later time, or dueInMillis")
		}
		return due, nil
	}
	return 0, malformed("dueInMillis", "", "neither dueInMillis nor deadline is given", "give one of them")
}

func address(field, text string) (netip.Addr, error) {
	parsed, err := netip.ParseAddr(text)
	if err != nil || parsed.Zone() != "" {
		return netip.Addr{}, malformed(field, text, "not an IP address", "give one such as 10.0.0.1")
	}
	return parsed.Unmap(), nil
}
