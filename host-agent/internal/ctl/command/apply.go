// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/document"
	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/rest"
)

// shownOnly are fields of one tenant that nobody sets; get prints them, apply leaves them out.
var shownOnly = []string{"promisedBitsPerSecond", "deliveredBitsPerSecond", "refusedIps", "scaledFloors"}

// wanted is what files have.
type wanted struct {
	tenants  []map[string]any
	policies map[string]any
}

// how an application is made.
type how struct{ dryRun, confirm, prune bool }

func (s *session) applyCommand() *cobra.Command {
	var files []string
	var how how
	command := &cobra.Command{
		Use:   "apply -f FILE",
		Short: "Make tenants and policies as files have them",
		Long: `Makes tenants and policies as files have them, in YAML or JSON, as get prints them with -o yaml or -o json: a tenant,
tenants, or policies.

A tenant is replaced as a whole: fields that are not given take their defaults. All tenants of all files are changed in
one step, or none. Others stay as they are; --prune removes them.`,
		Args: arguments(),
		RunE: func(command *cobra.Command, _ []string) error {
			if len(files) == 0 {
				return rest.Misusef("apply: give -f FILE, or -f - for standard input")
			}
			var all wanted
			for _, file := range files {
				if err := all.read(file, command.InOrStdin()); err != nil {
					return rest.Misusef("%s: %w", file, err)
				}
			}
			if all.tenants == nil && how.prune {
				return rest.Misusef("--prune: no file has tenants, and it would remove all")
			}
			if all.tenants != nil {
				if err := s.applyTenants(command.Context(), all.tenants, how); err != nil {
					return err
				}
			}
			if all.policies != nil {
				return s.applyPolicies(command.Context(), all.policies, how)
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.StringArrayVarP(&files, "filename", "f", nil, "file, - for standard input; repeat for several")
	flags.BoolVar(&how.dryRun, "dry-run", false, "show what would change, and whether it would be refused; change nothing")
	flags.BoolVar(&how.confirm, "confirm", false, confirmUse)
	flags.BoolVar(&how.prune, "prune", false, "remove the tenants that no file has")
	return command
}

func (w *wanted) read(file string, in io.Reader) error {
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return err
		}
		defer opened.Close()
		in = opened
	}
	documents, err := document.Read(in)
	if err != nil {
		return err
	}
	if len(documents) == 0 {
		return fmt.Errorf("it is empty")
	}
	for i, each := range documents {
		if err := w.add(each); err != nil {
			return fmt.Errorf("document %d: %w", i+1, err)
		}
	}
	return nil
}

func (w *wanted) add(given map[string]any) error {
	has := func(field string) bool { _, there := given[field]; return there }
	switch {
	case has("tenants"):
		if w.tenants == nil {
			w.tenants = []map[string]any{}
		}
		items, list := given["tenants"].([]any)
		if tenants := objects(given["tenants"]); list && len(tenants) == len(items) {
			w.tenants = append(w.tenants, tenants...)
			return nil
		}
		return fmt.Errorf("tenants: give a list of tenants")
	case has("sizeBytes"):
		return fmt.Errorf("it is a flow: register it with create flow, change it with set flow")
	case has("id"):
		for _, field := range shownOnly {
			delete(given, field)
		}
		w.tenants = append(w.tenants, given)
		return nil
	case has("current"):
		current, _ := given["current"].(map[string]any)
		given, _ = current["set"].(map[string]any)
		if given == nil {
			return fmt.Errorf("current.set: there are no policies in it; delete policies withdraws those in force")
		}
	case !has("policies") && !has("groups"):
		return fmt.Errorf("it is none of these: a tenant (id), tenants, policies (name, policies)")
	}
	if w.policies != nil {
		return fmt.Errorf("there is a second set of policies: one is in force at a time")
	}
	w.policies = given
	return nil
}

// applyTenants puts those that are wanted among those that there are.
func (s *session) applyTenants(ctx context.Context, tenants []map[string]any, how how) error {
	before, answer, err := s.read(ctx, "/tenants")
	if err != nil {
		return err
	}
	present := map[string]map[string]any{}
	for _, tenant := range objects(before["tenants"]) {
		present[identity(tenant)] = tenant
	}
	given := map[string]bool{}
	for _, tenant := range tenants {
		id, ok := tenant["id"].(string)
		if !ok || given[id] {
			return rest.Misusef("tenant %s: give each tenant once, and its id as a text", document.Value("id", tenant["id"]))
		}
		given[id] = true
	}
	all := slices.Clone(tenants)
	for _, tenant := range objects(before["tenants"]) {
		if !how.prune && !given[identity(tenant)] {
			all = append(all, tenant)
		}
	}
	body, err := json.Marshal(map[string]any{"tenants": all})
	if err != nil {
		return err
	}
	request := rest.Request{Method: http.MethodPut, Path: "/tenants", Query: confirmed(how.confirm), Body: body, Headers: ifMatch(answer.Tag)}
	if how.dryRun {
		request.Query.Set("dryRun", "true")
	}
	answer, err = s.do(ctx, request)
	var problem *rest.Problem
	if errors.As(err, &problem) {
		nameTenants(problem.Refusals, all)
	}
	if err != nil {
		return err
	}
	var change struct {
		Unchanged, Removed []string
		Refusals           []rest.Refusal
	}
	if err := json.Unmarshal(answer.Body, &change); err != nil {
		return err
	}
	err = s.show(answer.Body, func() error {
		for _, tenant := range tenants {
			id := identity(tenant)
			if slices.Contains(change.Unchanged, id) {
				_ = s.sayf("tenant %s: unchanged", id)
				continue
			}
			what := "changed"
			if present[id] == nil {
				what = "created"
			}
			_ = s.sayf("tenant %s: %s", id, done(what, how))
			if how.dryRun {
				s.sayDifferences(present[id], tenant)
			}
		}
		for _, id := range change.Removed {
			_ = s.sayf("tenant %s: %s", id, done("removed", how))
		}
		return nil
	})
	if err == nil && len(change.Refusals) > 0 {
		nameTenants(change.Refusals, all)
		err = &rest.Problem{Type: "urn:sluice:sluicectl:refused", Title: "It would be refused", Status: http.StatusConflict,
			Detail: "The change would be refused", Refusals: change.Refusals}
	}
	return err
}

func done(what string, how how) string {
	if how.dryRun {
		return "would be " + what
	}
	return what
}

func (s *session) sayDifferences(before, after map[string]any) {
	for _, line := range document.Differences(before, after, "default") {
		_ = s.sayf("  %s", line)
	}
}

// nameTenants says whose field a pointer into a set of tenants names: "gold: guaranteeBitsPerSecond" for /tenants/2/guaranteeBitsPerSecond.
func nameTenants(refusals []rest.Refusal, tenants []map[string]any) {
	for i := range refusals {
		number, field, _ := strings.Cut(strings.TrimPrefix(refusals[i].Pointer, "/tenants/"), "/")
		if index, err := strconv.Atoi(number); err == nil && index >= 0 && index < len(tenants) {
			refusals[i].Pointer = identity(tenants[index]) + ": " + field
		}
	}
}

// applyPolicies puts a set in force; what of it does not fit the network is no refusal, but is shown.
func (s *session) applyPolicies(ctx context.Context, policies map[string]any, how how) error {
	before, present, err := s.read(ctx, "/policies")
	if err != nil {
		return err
	}
	body, err := json.Marshal(policies)
	if err != nil {
		return err
	}
	check := rest.Request{Method: http.MethodPost, Path: "/policies/validate", Body: body}
	if how.dryRun {
		check.Path = "/policies/dry-run"
	}
	answer, err := s.do(ctx, check)
	if err != nil {
		return err
	}
	preview, err := document.Object(answer.Body)
	if err != nil {
		return err
	}
	for _, finding := range objects(preview["findings"]) {
		fmt.Fprintf(s.errOut, "sluicectl: warning: %s\n  field:  %s\n  value:  %s\n  remedy: %s\n",
			finding["message"], finding["field"], finding["value"], finding["remedy"])
	}
	if !how.dryRun {
		return s.write(ctx, rest.Request{Method: http.MethodPut, Path: "/policies", Headers: ifMatch(present.Tag)}, policies,
			s.saying(fmt.Sprintf("policies: %v are in force", policies["name"])))
	}
	return s.show(answer.Body, func() error {
		current, _ := before["current"].(map[string]any)
		set, _ := current["set"].(map[string]any)
		if err := s.sayf("policies: %v would be in force", policies["name"]); err != nil {
			return err
		}
		s.sayDifferences(set, policies)
		delete(preview, "findings")
		return sections(s.out, preview, resourceOf("policies").tables)
	})
}
