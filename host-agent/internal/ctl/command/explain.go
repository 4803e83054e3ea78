// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/document"
	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/rest"
)

func (s *session) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "why ENDPOINT|FLOW",
		Short:             "Explain why an endpoint (h1/vm0) gets no more than it does, or how a flow (7) fares",
		Args:              arguments("ENDPOINT|FLOW"),
		ValidArgsFunction: s.completeNames(resourceOf("endpoints")),
		RunE: func(command *cobra.Command, given []string) error {
			of := resourceOf("flows")
			if strings.Contains(given[0], "/") {
				of = resourceOf("endpoints")
			}
			path, err := of.one(given[0])
			if err != nil {
				return err
			}
			why, answer, err := s.read(command.Context(), path+"/why")
			if err != nil {
				return err
			}
			return s.show(answer.Body, func() error { return s.explain(why) })
		},
	}
}

func (s *session) explain(why map[string]any) error {
	if err := s.sayf("%s", why["summary"]); err != nil {
		return err
	}
	lines, _ := why["lines"].([]any)
	for _, line := range lines {
		_ = s.sayf("  %v", line)
	}
	entries := objects(why["journal"])
	if len(entries) == 0 {
		return nil
	}
	_ = s.sayf("")
	return table(s.out, "time kind decision", withEvidence(entries))
}

// withEvidence has a decision's evidence behind it: both are long, and the last column alone may be.
func withEvidence(entries []map[string]any) []map[string]any {
	for _, entry := range entries {
		entry["decision"] = fmt.Sprintf("%v (%v)", entry["decision"], entry["evidence"])
	}
	return entries
}

func (s *session) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "List what is wrong with the installation, each with its remedy; exit code 1 with errors or warnings",
		Args:  arguments(),
		RunE: func(command *cobra.Command, _ []string) error {
			examined, answer, err := s.read(command.Context(), "/doctor")
			if err != nil {
				return err
			}
			findings := objects(examined["findings"])
			err = s.show(answer.Body, func() error {
				if len(findings) == 0 {
					return s.sayf("Nothing is wrong.")
				}
				for _, each := range findings {
					if err := s.sayf("%-8s %s: %s\n         %s", each["severity"], each["about"], each["what"], each["remedy"]); err != nil {
						return err
					}
				}
				return nil
			})
			return errors.Join(err, alarming(count(findings, "severity")))
		},
	}
}

// count is how many rows have each value of a field.
func count(rows []map[string]any, field string) map[string]int {
	counts := map[string]int{}
	for _, row := range rows {
		counts[document.Value(field, row[field])]++
	}
	return counts
}

func alarming(findings map[string]int) error {
	if findings["error"]+findings["warning"] > 0 {
		return errFindings
	}
	return nil
}

// part is how many rows have a value, as people read it, in a field.
type part struct{ label, field, value string }

// summaries are the lines of the status: of a list, how many there are, and how many of them are something.
var summaries = []struct {
	path, rows string
	of         []part
}{
	{"/topology", "switches", []part{{"available", "available", "yes"}}},
	{"/hosts", "hosts", []part{{"connected", "connected", "yes"}}},
	{"/tenants", "tenants", nil},
	{"/endpoints", "endpoints", []part{{"heldBack", "heldBack", "yes"}}},
	{"/ports", "ports", []part{{"congested", "congested", "yes"}}},
	{"/cluster", "nodes", []part{{"running", "state", "running"}, {"silent", "state", "silent"}}},
	{"/doctor", "findings", []part{{"errors", "severity", "error"}, {"warnings", "severity", "warning"}}},
}

func (s *session) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the controller in a few lines; exit code 1 with errors or warnings",
		Args:  arguments(),
		RunE: func(command *cobra.Command, _ []string) error {
			status, findings, err := s.status(command.Context())
			if err != nil {
				return err
			}
			body, err := json.Marshal(status)
			if err != nil {
				return err
			}
			err = s.show(body, func() error {
				_ = s.sayf("%-10s %s as %s (%s)", "server", status["server"], status["user"], status["role"])
				for _, each := range summaries {
					counts, seen := status[each.rows].(map[string]int)
					if !seen {
						continue
					}
					line := fmt.Sprintf("%-10s %d", each.rows, counts["total"])
					for _, part := range each.of {
						line += fmt.Sprintf(", %d %s", counts[part.label], strings.ToLower(document.Heading(part.label)))
					}
					_ = s.sayf("%s", line)
				}
				serious, _ := status["errors"].([]string)
				for _, each := range serious {
					_ = s.sayf("%-10s %s", "error", each)
				}
				return nil
			})
			return errors.Join(err, alarming(findings))
		},
	}
}

// status is what the user may see; a tenant's sees its own alone.
func (s *session) status(ctx context.Context) (status map[string]any, findings map[string]int, err error) {
	access, _, err := s.read(ctx, "/access")
	if err != nil {
		return nil, nil, err
	}
	base, err := s.client.Base(ctx)
	if err != nil {
		return nil, nil, err
	}
	var serious []string
	status = map[string]any{"server": base, "user": s.server.User, "role": access["role"]}
	for _, each := range summaries {
		read, _, err := s.read(ctx, each.path)
		var problem *rest.Problem
		if errors.As(err, &problem) && problem.Status == http.StatusForbidden {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		rows := objects(read[each.rows])
		counts := map[string]int{"total": len(rows)}
		for _, part := range each.of {
			counts[part.label] = count(rows, part.field)[part.value]
		}
		status[each.rows] = counts
		if each.rows == "findings" {
			findings = count(rows, "severity")
			for _, row := range rows {
				if row["severity"] == "error" {
					serious = append(serious, fmt.Sprintf("%s: %s", row["about"], row["what"]))
				}
			}
		}
	}
	if len(serious) > 0 {
		status["errors"] = serious
	}
	return status, findings, nil
}
