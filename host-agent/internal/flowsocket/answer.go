// SPDX-License-Identifier: Apache-2.0

package flowsocket

import (
	"fmt"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Problem is an RFC 9457 document, as REST's.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Field  string `json:"field,omitempty"`
	Value  string `json:"value,omitempty"`
	Remedy string `json:"remedy,omitempty"`
}

func (p Problem) Error() string {
	text := p.Detail
	if p.Field != "" {
		text = p.Field + ": " + text
	}
	if p.Remedy != "" {
		text += "; " + p.Remedy
	}
	return text
}

// CannotBeMet is the problem of a deadline that cannot be met, with one that could be.
type CannotBeMet struct {
	Problem
	// EarliestMillis from now; nil: no deadline at all.
	EarliestMillis *float64 `json:"earliestMillis"`
}

const typePrefix = "urn:sluice:problem:"

// Statuses of HTTP.
const (
	statusBadRequest  = 400
	statusNotFound    = 404
	statusConflict    = 409
	statusUnavailable = 503
	statusTimeout     = 504
)

func malformed(field, value, detail, remedy string) Problem {
	return Problem{
		Type: typePrefix + "invalid", Title: "The request cannot be used", Status: statusBadRequest,
		Detail: detail, Field: field, Value: value, Remedy: remedy,
	}
}

// NotAnEndpoint is the problem of a request that is not about an endpoint of this host.
func NotAnEndpoint(source string) error {
	return malformed("source", source, "is no endpoint of this host", "register at the agent of its host, or by REST")
}

// Unavailable is the problem that no controller could be reached.
func Unavailable(why error) error {
	return Problem{
		Type: typePrefix + "no-controller", Title: "No controller is connected", Status: statusUnavailable,
		Detail: why.Error(), Remedy: "see `sluice-agent status` for why, and try again",
	}
}

// Late is the problem that no controller has answered.
func Late(why error) error {
	return Problem{
		Type: typePrefix + "no-answer", Title: "No controller has answered", Status: statusTimeout,
		Detail: why.Error(), Remedy: "list the flows to see whether it was registered, and try again",
	}
}

// Flow is a registration as REST shows it.
type Flow struct {
	ID              uint64  `json:"id"`
	Source          string  `json:"source"`
	SourcePort      uint16  `json:"sourcePort"`
	Destination     string  `json:"destination"`
	DestinationPort uint16  `json:"destinationPort"`
	SizeBytes       uint64  `json:"sizeBytes"`
	RemainingBytes  uint64  `json:"remainingBytes"`
	DueInMillis     float64 `json:"dueInMillis"`
	Promised        bool    `json:"promised"`
	State           string  `json:"state"`
}

// Flows is a list of them.
type Flows struct {
	Flows []Flow `json:"flows"`
}

// Registered answers a registration.
type Registered struct {
	ID       uint64 `json:"id"`
	State    string `json:"state"`
	Promised bool   `json:"promised"`
}

// Removed answers a removal.
type Removed struct {
	Removed bool `json:"removed"`
}

func millis(nanos float64) float64 { return nanos / float64(time.Millisecond) }

// answerOf is what an application gets of a controller's answer.
func answerOf(request Request, answer model.FlowAnswer) any {
	switch {
	case answer.Registered != nil:
		return Registered{ID: answer.Registered.ID, State: "waiting", Promised: answer.Registered.Promised}
	case answer.CannotBeMet != nil:
		problem := CannotBeMet{Problem: Problem{
			Type: typePrefix + "cannot-be-met", Title: "The deadline cannot be met", Status: statusConflict,
			Detail: "no deadline could be met", Remedy: "register it with force to have it go as fast as it can",
		}}
		if earliest := answer.CannotBeMet.EarliestNanos; earliest != nil {
			ms := millis(float64(*earliest))
			problem.EarliestMillis = &ms
			problem.Detail = fmt.Sprintf("the earliest that could be met is %.1f ms from now", ms)
			problem.Remedy = "register a later deadline, or this one with force"
		}
		return problem
	case answer.Refused != nil:
		return malformed(answer.Refused.Field, "", answer.Refused.Detail, "")
	case answer.Removed != nil && *answer.Removed:
		return Removed{true}
	case answer.Removed != nil:
		return Problem{
			Type: typePrefix + "not-found", Title: "There is no such flow", Status: statusNotFound,
			Detail: "no flow of this host's endpoints is registered under it", Field: "id", Value: fmt.Sprint(*request.Remove),
			Remedy: "list the flows",
		}
	}
	list := Flows{Flows: []Flow{}}
	for _, f := range answer.Flows {
		list.Flows = append(list.Flows, Flow{
			ID: f.ID, Source: f.Flow.Source.String(), SourcePort: f.Flow.SourcePort,
			Destination: f.Flow.Destination.String(), DestinationPort: f.Flow.DestinationPort,
			SizeBytes: f.SizeBytes, RemainingBytes: f.RemainingBytes, DueInMillis: millis(float64(f.DueInNanos)),
			Promised: f.Promised, State: f.State,
		})
	}
	return list
}
