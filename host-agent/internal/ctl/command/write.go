// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/document"
	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/rest"
	"github.com/sluice-sdn/sluice/host-agent/internal/flowsyntax"
)

const confirmUse = "make the change although endpoints lose addresses by it that lie in another tenant's prefix"

// confirmed is the query of a change of tenants.
func confirmed(confirm bool) url.Values {
	query := url.Values{}
	if confirm {
		query.Set(rest.AllowRefusedAddresses, "true")
	}
	return query
}

// tagOf is the condition that what is at a path is still what it was; there is none of what has no entity tag.
func (s *session) tagOf(ctx context.Context, path string) (map[string]string, error) {
	answer, err := s.do(ctx, rest.Request{Method: http.MethodGet, Path: path})
	return ifMatch(answer.Tag), err
}

func isNotFound(err error) bool {
	var problem *rest.Problem
	return errors.As(err, &problem) && problem.Status == http.StatusNotFound
}

func ifMatch(tag string) map[string]string {
	if tag == "" {
		return nil
	}
	return map[string]string{"If-Match": tag}
}

func (s *session) setCommand() *cobra.Command {
	command := &cobra.Command{Use: "set RESOURCE NAME", Short: "Change fields of a tenant or a flow", Args: arguments("RESOURCE"), RunE: missing}
	command.AddCommand(s.setTenantCommand(), s.setFlowCommand())
	return command
}

func (s *session) setTenantCommand() *cobra.Command {
	var confirm bool
	command := &cobra.Command{
		Use:   "tenant NAME",
		Short: "Create a tenant, or change those of its fields that are given",
		Long: `Creates a tenant, or changes those of its fields that are given.

A member is an IP prefix (10.1.0.0/16), an Ethernet address, a host and interface (h1/vm0), or what hosts know of
interfaces: domain:web1 (libvirt's), namespace:shop and label:app:web (Kubernetes'), network:blue, vlan:100, bridge:br0;
of several with + between them all must hold (namespace:shop+label:app:web). A weight of each of its endpoints within
the tenant follows if it is not 1 (h1/vm0=2).`,
		Args:              arguments("NAME"),
		ValidArgsFunction: s.completeNames(resourceOf("tenants")),
	}
	flags := command.Flags()
	numbers := map[string]string{"weight": "weight", "guarantee": "guaranteeBitsPerSecond", "ceiling": "ceilingBitsPerSecond", "receive-ceiling": "receiveCeilingBitsPerSecond"}
	flags.Float64("weight", 0, "share of a congested port in proportion to other tenants'")
	flags.Float64("guarantee", 0, "minimum rate of all its endpoints together in Mbit/s; 0 is none")
	flags.Float64("ceiling", 0, "maximum rate of all its endpoints together in Mbit/s; 0 is none")
	flags.Float64("receive-ceiling", 0, "maximum rate that the network brings each of its endpoints in Mbit/s; 0 is none")
	flags.String("ecn", "", "whether congestion marks reach its VMs: clear or preserve")
	lists := map[string]string{"member": "members", "add-member": "addMembers", "remove-member": "removeMembers"}
	flags.StringArray("member", nil, "member; repeat for several; they replace those that it has; none: it has none from then on")
	flags.StringArray("add-member", nil, "member to add, or to give another weight; repeat for several")
	flags.StringArray("remove-member", nil, "member to remove; repeat for several")
	flags.BoolVar(&confirm, "confirm", false, confirmUse)
	command.RunE = func(command *cobra.Command, names []string) error {
		change := map[string]any{}
		for flag, field := range numbers {
			if flags.Changed(flag) {
				typed, _ := flags.GetFloat64(flag)
				change[field] = document.Number(field, typed)
			}
		}
		if flags.Changed("ecn") {
			change["ecn"], _ = flags.GetString("ecn")
		}
		for flag, field := range lists {
			if flags.Changed(flag) {
				typed, _ := flags.GetStringArray(flag)
				members, err := membersOf(flag, typed)
				if err != nil {
					return err
				}
				change[field] = members
			}
		}
		err := s.setTenant(command.Context(), names[0], change, confirmed(confirm))
		var problem *rest.Problem
		if errors.As(err, &problem) {
			for flag, field := range numbers {
				if problem.Field == field && flags.Changed(flag) {
					problem.Field, problem.Value = "--"+flag, flags.Lookup(flag).Value.String()
				}
			}
		}
		return err
	}
	return command
}

// setTenant changes the tenant that it has seen, or creates one that nobody has created meanwhile.
func (s *session) setTenant(ctx context.Context, name string, change map[string]any, query url.Values) error {
	path, err := resourceOf("tenants").one(name)
	if err != nil {
		return err
	}
	request := rest.Request{Method: http.MethodPatch, Path: path, Query: query}
	request.Headers, err = s.tagOf(ctx, path)
	if isNotFound(err) {
		if added, ok := change["addMembers"]; ok { // of none
			change["members"] = added
			delete(change, "addMembers")
		}
		request.Method, request.Headers, err = http.MethodPut, map[string]string{"If-None-Match": "*"}, nil
	}
	if err != nil {
		return err
	}
	done := map[string]string{http.MethodPut: "created", http.MethodPatch: "changed"}[request.Method]
	return s.write(ctx, request, change, s.saying("tenant "+name+": "+done))
}

// write sends a change and shows what came of it.
func (s *session) write(ctx context.Context, request rest.Request, change any, forPeople func(answer map[string]any) error) error {
	var err error
	if request.Body, err = json.Marshal(change); err != nil {
		return rest.Misuse{Err: err} // NaN
	}
	answer, err := s.do(ctx, request)
	if err != nil {
		return err
	}
	object, err := document.Object(answer.Body)
	if err != nil {
		return err
	}
	return s.show(answer.Body, func() error { return forPeople(object) })
}

// saying is for a change that needs no more than a sentence.
func (s *session) saying(sentence string) func(map[string]any) error {
	return func(map[string]any) error { return s.sayf("%s", sentence) }
}

// membersOf reads members; which are valid is the server's affair.
func membersOf(flag string, typed []string) ([]map[string]any, error) {
	members := []map[string]any{}
	if flag == "member" && len(typed) == 1 && typed[0] == "none" {
		return members, nil
	}
	for _, text := range typed {
		member := map[string]any{}
		named, weight, weighted := text, "", false
		if at := strings.LastIndex(text, "="); at >= 0 {
			named, weight, weighted = text[:at], text[at+1:], true
		}
		if weighted {
			number, err := strconv.ParseFloat(weight, 64)
			if err != nil {
				return nil, rest.Misusef("--%s %q: the weight is no number: give one such as %s=2", flag, text, named)
			}
			member["weight"] = number
		}
		host, nic, slash := strings.Cut(named, "/")
		if isMetadata(named) {
			if err := setMetadata(member, flag, text, named); err != nil {
				return nil, err
			}
		} else if _, err := netip.ParseAddr(host); err == nil {
			member["ipPrefix"] = named
		} else if _, err := net.ParseMAC(named); err == nil || !slash {
			member["mac"] = named
		} else {
			member["host"], member["interface"] = host, nic
		}
		members = append(members, member)
	}
	return members, nil
}

// metadataKinds are the words that a member by what hosts know of interfaces is written in.
var metadataKinds = []string{"domain", "namespace", "label", "network", "vlan", "bridge"}

func isMetadata(named string) bool {
	kind, _, colon := strings.Cut(named, ":")
	return colon && slices.Contains(metadataKinds, kind)
}

// setMetadata reads namespace:shop+label:app:web and the like.
func setMetadata(member map[string]any, flag, text, named string) error {
	labels := map[string]string{}
	for _, word := range strings.Split(named, "+") {
		kind, value, _ := strings.Cut(word, ":")
		field, is := any(value), isMetadata(word)
		switch kind {
		case "vlan":
			number, err := strconv.Atoi(value)
			is = err == nil
			field = number
		case "label":
			at := strings.LastIndex(value, ":")
			is = at > 0 && labels[value[:max(at, 0)]] == ""
			if is {
				labels[value[:at]] = value[at+1:]
			}
			kind, field = "labels", labels
		}
		if _, before := member[kind]; !is || before && kind != "labels" {
			return rest.Misusef("--%s %q: %q is no property of an interface, or one given twice: use domain:NAME, namespace:NAME, "+
				"label:KEY:VALUE, network:NAME, vlan:NUMBER and bridge:NAME, each once but labels, with + between them", flag, text, word)
		}
		member[kind] = field
	}
	return nil
}

func (s *session) createCommand() *cobra.Command {
	command := &cobra.Command{Use: "create RESOURCE", Short: "Register a flow with a deadline (tenants: set, apply)", Args: arguments("RESOURCE"), RunE: missing}
	command.AddCommand(s.createFlowCommand())
	return command
}

func (s *session) createFlowCommand() *cobra.Command {
	var force bool
	command := &cobra.Command{
		Use:   "flow SOURCE[:PORT] DESTINATION[:PORT] SIZE DUE",
		Short: "Register a flow: so many bytes, due by then",
		Long: "Registers a flow of an endpoint.\n\n" + flowsyntax.Help + `

It is refused, and nothing is registered, if the deadline cannot be met; --force registers it all the same.`,
		Args:              arguments("SOURCE", "DESTINATION", "SIZE", "DUE"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(command *cobra.Command, given []string) error {
			flow := map[string]any{"force": force}
			for i, end := range []string{"source", "destination"} {
				address, port, err := flowsyntax.ParseEnd(strings.ToUpper(end), given[i])
				if err != nil {
					return rest.Misuse{Err: err}
				}
				flow[end], flow[end+"Port"] = address, port
			}
			if err := sizeAndDue(flow, given[2], given[3]); err != nil {
				return err
			}
			return s.write(command.Context(), rest.Request{Method: http.MethodPost, Path: "/flows"}, flow, s.showFlow)
		},
	}
	command.Flags().BoolVar(&force, "force", false, "register it also if the deadline cannot be met: it ranks behind what is promised")
	return command
}

func sizeAndDue(flow map[string]any, size, due string) error {
	if size != "" {
		bytes, err := flowsyntax.ParseSize(size)
		if err != nil {
			return rest.Misuse{Err: err}
		}
		flow["sizeBytes"] = bytes
	}
	if due != "" {
		at, err := flowsyntax.ParseDue(due)
		if err != nil {
			return rest.Misuse{Err: err}
		}
		if at.Millis != nil {
			flow["dueInMillis"] = *at.Millis
		} else {
			flow["deadline"] = at.Deadline.UTC()
		}
	}
	return nil
}

func (s *session) showFlow(registered map[string]any) error {
	return table(s.out, resourceOf("flows").columns, []map[string]any{registered})
}

func (s *session) setFlowCommand() *cobra.Command {
	var size, due string
	var force bool
	command := &cobra.Command{
		Use:               "flow ID",
		Short:             "Change the size or the deadline of a registered flow, or both",
		Args:              arguments("ID"),
		ValidArgsFunction: s.completeNames(resourceOf("flows")),
		RunE: func(command *cobra.Command, given []string) error {
			flow := map[string]any{"force": force}
			if err := sizeAndDue(flow, size, due); err != nil {
				return err
			}
			path, err := resourceOf("flows").one(given[0])
			if err != nil {
				return err
			}
			headers, err := s.tagOf(command.Context(), path)
			if err != nil {
				return err
			}
			return s.write(command.Context(), rest.Request{Method: http.MethodPut, Path: path, Headers: headers}, flow, s.showFlow)
		},
	}
	command.Flags().StringVar(&size, "size", "", "payload in bytes, or with kB, MB, GB")
	command.Flags().StringVar(&due, "due", "", "a duration from now such as 300ms, or a time such as 2030-01-01T00:00:00Z")
	command.Flags().BoolVar(&force, "force", false, "change it also if that cannot be met")
	return command
}

func (s *session) deleteCommand() *cobra.Command {
	command := &cobra.Command{Use: "delete RESOURCE [NAME]", Short: "Remove a tenant, a flow's registration, a host that is stopped, all policies", Args: arguments("RESOURCE"), RunE: missing}
	command.AddCommand(
		s.deleteOneCommand("tenants", "tenant NAME", "Remove a tenant; its endpoints go to the next that matches"),
		s.deleteOneCommand("flows", "flow ID", "Withdraw a flow's registration; its connection continues without a deadline"),
		s.deleteOneCommand("hosts", "host NAME", "Take a host out of service whose agent is stopped"),
		&cobra.Command{
			Use: "policies", Short: "No policies from here on: hosts use their own TCP parameters again", Args: arguments(),
			RunE: func(command *cobra.Command, _ []string) error {
				return s.remove(command.Context(), "/policies", "policies", nil)
			},
		})
	return command
}

func (s *session) deleteOneCommand(of, use, short string) *cobra.Command {
	var confirm bool
	noun, name, _ := strings.Cut(use, " ")
	command := &cobra.Command{
		Use: use, Short: short, Args: arguments(name), ValidArgsFunction: s.completeNames(resourceOf(of)),
		RunE: func(command *cobra.Command, given []string) error {
			path, err := resourceOf(of).one(given[0])
			if err != nil {
				return err
			}
			return s.remove(command.Context(), path, noun+" "+given[0], confirmed(confirm))
		},
	}
	if of == "tenants" {
		command.Flags().BoolVar(&confirm, "confirm", false, confirmUse)
	}
	return command
}

// remove deletes what it has seen; what cannot be seen, a tenant that this release cannot read or a host that died long ago,
// the controller may still know.
func (s *session) remove(ctx context.Context, path, what string, query url.Values) error {
	headers, err := s.tagOf(ctx, path)
	if err != nil && !isNotFound(err) {
		return err
	}
	if _, err := s.do(ctx, rest.Request{Method: http.MethodDelete, Path: path, Query: query, Headers: headers}); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]string{"removed": what})
	if err != nil {
		return err
	}
	return s.show(body, func() error { return s.sayf("%s: removed", what) })
}

func (s *session) rollbackCommand() *cobra.Command {
	command := &cobra.Command{Use: "rollback policies REVISION", Short: "Put an earlier revision of the policies in force again", Args: arguments("RESOURCE"), RunE: missing}
	command.AddCommand(&cobra.Command{
		Use:   "policies REVISION",
		Short: "Put an earlier revision in force again, as a new one; get policy-revisions lists them",
		Args:  arguments("REVISION"),
		RunE: func(command *cobra.Command, given []string) error {
			revision, err := strconv.ParseInt(given[0], 10, 64)
			if err != nil {
				return rest.Misusef("REVISION %q: give a number that get policy-revisions shows", given[0])
			}
			request := rest.Request{Method: http.MethodPost, Path: "/policies/rollback"}
			if request.Headers, err = s.tagOf(command.Context(), "/policies"); err != nil {
				return err
			}
			return s.write(command.Context(), request, map[string]any{"revision": revision}, s.saying("policies: those of revision "+given[0]+" are in force again"))
		},
	})
	return command
}
