// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// AllowRefusedAddresses is the parameter that confirms a change by which endpoints lose addresses; remedies name it.
const AllowRefusedAddresses = "allowRefusedAddresses"

// Problem is a refusal (RFC 9457).
type Problem struct {
	Type     string    `json:"type"`
	Title    string    `json:"title"`
	Status   int       `json:"status,omitempty"`
	Detail   string    `json:"detail"`
	Field    string    `json:"field,omitempty"`
	Value    string    `json:"value,omitempty"`
	Remedy   string    `json:"remedy,omitempty"`
	Refusals []Refusal `json:"refusals,omitempty"`
	// Raw is the document as it came.
	Raw json.RawMessage `json:"-"`
}

// Refusal is one reason of several.
type Refusal struct {
	Pointer string `json:"pointer"`
	Value   string `json:"value"`
	Detail  string `json:"detail"`
	Remedy  string `json:"remedy"`
}

func (p *Problem) Error() string {
	if len(p.Refusals) == 0 {
		return reason(p.Detail, p.Field, p.Value, p.Remedy)
	}
	reasons := make([]string, len(p.Refusals))
	for i, each := range p.Refusals {
		reasons[i] = each.String()
	}
	return strings.Join(reasons, "\n")
}

func (r Refusal) String() string { return reason(r.Detail, r.Pointer, r.Value, r.Remedy) }

func reason(detail, field, value, remedy string) string {
	text := detail
	if field != "" {
		text += "\n  field:  " + field
		if value != "" {
			text += "\n  value:  " + value
		}
	}
	if remedy != "" {
		text += "\n  remedy: " + remedy
	}
	return text
}

// Temporary is whether the same request may succeed later.
func (p *Problem) Temporary() bool { return p.Status == http.StatusServiceUnavailable }

func refusal(answer *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return Unreachable{err}
	}
	problem := &Problem{Raw: body}
	if !isType(answer, problemType) || json.Unmarshal(body, problem) != nil {
		return fmt.Errorf("%s was answered with %s, which is not Sluice's: check the server's URL, and that the application is active",
			answer.Request.URL, answer.Status)
	}
	return problem
}
