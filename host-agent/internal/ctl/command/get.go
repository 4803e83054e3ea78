// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/document"
	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/rest"
)

// resource is something that the interface lists or reads.
type resource struct {
	name    string
	aliases []string
	short   string
	// list is its path, rows the field that has its rows; without one it is a single object.
	list, rows string
	// fixed are parameters that it always has.
	fixed url.Values
	// parts are how many segments the path of one has behind list, and suffix what follows; 0: there is no single one.
	parts  int
	suffix string
	// columns are fields; one that no row has is left out. tables are those of the lists of a single object.
	columns string
	tables  map[string]string
	// filters are parameters of its list, each an option.
	filters []filter
}

type filter struct{ name, use string }

var resources = []resource{
	{name: "access", short: "What the user may see and do", list: "/access"},
	{name: "background-flows", short: "Flows that have sent more than short flows do", list: "/flows", rows: "flows",
		fixed:   url.Values{"kind": {"background"}},
		columns: "source sourcePort destination destinationPort endpoint tenant sizeFrom sentBytes sentBitsPerSecond ageMillis ports",
		filters: []filter{{"limit", "at most so many"}}},
	{name: "caps", aliases: []string{"cap"}, short: "What background flows may send towards ports where short flows wait", list: "/caps", rows: "caps",
		columns: "upstream downstream capBitsPerSecond enforcer queuePackets thresholdPackets floorBitsPerSecond flows endsInMillis"},
	{name: "deadlines", short: "Registrations by tenant and state, ports where windows are allocated", list: "/deadlines",
		tables: map[string]string{"tenants": "tenant waiting sending met missed never-sent closed-early removed", "congestedPorts": "port totalWindowBytes"}},
	{name: "endpoints", aliases: []string{"endpoint", "ep"}, short: "Virtual NICs: their limits, and what they get", list: "/endpoints", rows: "endpoints", parts: 2,
		columns: "id tenant mac ips refusedIps attachment limitBitsPerSecond deliveredBitsPerSecond heldBack limits"},
	{name: "flows", aliases: []string{"flow"}, short: "Flows with deadlines", list: "/flows", rows: "flows", parts: 1,
		columns: "id tenant source sourcePort destination destinationPort sizeBytes remainingBytes dueInMillis promised promiseLost state",
		filters: []filter{{"state", "only those that are waiting, sending, met, missed, never-sent, closed-early or removed"}, {"limit", "at most so many, the newest first"}}},
	{name: "hosts", aliases: []string{"host"}, short: "Hosts whose agents have reported", list: "/hosts", rows: "hosts", parts: 1,
		columns: "id connected stopped agentVersion uplink uplinkCapacityBitsPerSecond endpointCount switchPorts lastSeen missingFeatures residualDroppedPackets residualExceededBy"},
	{name: "journal", short: "Decisions of this controller node, the newest first", list: "/journal", rows: "entries",
		columns: "sequence time kind law portName port endpoint tenant decision",
		filters: []filter{{"kind", "only of these kinds, with commas between"}, {"port", "only about this port"}, {"endpoint", "only about this endpoint"},
			{"tenant", "only about this tenant"}, {"law", "only what this law decided"},
			{sinceFilter, "only since a time, or for a duration such as 10m"}, {"until", "only before a time"},
			{"after", "only with a greater sequence"}, {"before", "only with a smaller sequence"}, {"limit", "at most so many"}}},
	{name: "policies", short: "Congestion control policies in force, and what they come to", list: "/policies",
		tables: map[string]string{"decisions": "policy from to active reason cycles utilisationPercent dropPercent fullestLink", "hints": "from to hints",
			"policies": "name for from to links enterBelow leaveAt leastCycles hints", "groups": "name hosts"}},
	{name: "policy-hosts", short: "Hints that hosts were sent, and what they report of them", list: "/policies/hosts", rows: "hosts",
		columns: "host group revision state leftOutGroups sent refused"},
	{name: "policy-revisions", short: "Sets of policies that were in force, the latest first", list: "/policies/history", rows: "revisions",
		columns: "revision time author rolledBackTo"},
	{name: "ports", aliases: []string{"port"}, short: "Switch ports and receive ports", list: "/ports", rows: "ports", parts: 2,
		columns: "name id capacityBitsPerSecond loadBitsPerSecond congested ceShare unitShareBitsPerSecond activeEndpoints activeWeight floorScale scaledTenants marksFrom countersFrom"},
	{name: "queues", aliases: []string{"queue"}, short: "What waits at ports", list: "/ports/queues", rows: "queues", parts: 2, suffix: "/queues",
		columns: "port lengthsFrom capacityBitsPerSecond backlogPackets errorPackets bufferPackets thresholdPackets ageMillis levels background"},
	{name: "tenants", aliases: []string{"tenant"}, short: "Tenants: what they are promised, and of one also what it gets", list: "/tenants", rows: "tenants", parts: 1,
		columns: "id weight guaranteeBitsPerSecond ceilingBitsPerSecond receiveCeilingBitsPerSecond ecn members promisedBitsPerSecond deliveredBitsPerSecond refusedIps scaledFloors"},
	{name: "topology", short: "Switches, links, and where hosts are attached", list: "/topology",
		tables: map[string]string{"switches": "datapath name layer available", "links": "source target", "attachments": "port host"}},
}

const sinceFilter = "since"

func resourceOf(name string) resource {
	return resources[slices.IndexFunc(resources, func(r resource) bool { return r.name == name })]
}

// one is the path of one of them.
func (r resource) one(name string) (string, error) {
	segments := []string{name}
	if r.parts == 2 {
		first, behind, _ := strings.Cut(name, "/")
		segments = []string{first, behind}
	}
	path, err := rest.Path(segments...)
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.name, err)
	}
	if r.suffix != "" {
		return strings.TrimSuffix(r.list, r.suffix) + path + r.suffix, nil
	}
	return r.list + path, nil
}

func (s *session) getCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "get RESOURCE [NAME]",
		Short: "Show tenants, endpoints, hosts, ports, flows, policies, the journal",
		Args:  arguments("RESOURCE"),
		RunE:  missing,
	}
	for _, each := range resources {
		command.AddCommand(s.getResourceCommand(each))
	}
	return command
}

func (s *session) getResourceCommand(of resource) *cobra.Command {
	command := &cobra.Command{Use: of.name, Aliases: of.aliases, Short: of.short, Args: arguments(), ValidArgsFunction: cobra.NoFileCompletions}
	if of.parts > 0 {
		command.Use += " [NAME]"
		command.Args = arguments("[NAME]")
		command.ValidArgsFunction = s.completeNames(of)
	}
	for _, each := range of.filters {
		command.Flags().String(each.name, "", each.use)
	}
	command.RunE = func(command *cobra.Command, names []string) error {
		query, err := queryOf(of, command)
		if err != nil {
			return err
		}
		path := of.list
		if len(names) > 0 {
			if len(query) > len(of.fixed) {
				return rest.Misusef("%s: give a name or options for a list, not both", command.CommandPath())
			}
			if path, err = of.one(names[0]); err != nil {
				return err
			}
		}
		answer, err := s.do(command.Context(), rest.Request{Method: "GET", Path: path, Query: query})
		if err != nil {
			return err
		}
		return s.show(answer.Body, func() error {
			object, err := document.Object(answer.Body)
			if err != nil {
				return err
			}
			switch {
			case len(names) > 0:
				return table(s.out, of.columns, []map[string]any{object})
			case of.rows == "":
				return sections(s.out, object, of.tables)
			}
			rows := objects(object[of.rows])
			if of.name == "journal" {
				rows = withEvidence(rows)
			}
			return table(s.out, of.columns, rows)
		})
	}
	return command
}

func queryOf(of resource, command *cobra.Command) (url.Values, error) {
	query := maps.Clone(of.fixed)
	if query == nil {
		query = url.Values{}
	}
	for _, each := range of.filters {
		if !command.Flags().Changed(each.name) {
			continue
		}
		value, err := command.Flags().GetString(each.name)
		if err != nil {
			return nil, err
		}
		if each.name == sinceFilter {
			if ago, err := time.ParseDuration(value); err == nil {
				value = time.Now().Add(-ago).UTC().Format(time.RFC3339)
			}
		}
		query.Set(each.name, value)
	}
	return query, nil
}

// completeNames completes the name of one, of those that there are; without a password at hand there is no completion.
func (s *session) completeNames(of resource) cobra.CompletionFunc {
	return func(command *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(given) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		s.timeout = min(s.timeout, 2*time.Second)
		s.choices.Terminal = ""
		ctx := command.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		object, _, err := s.read(ctx, of.list)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []string
		for _, row := range objects(object[of.rows]) {
			names = append(names, identity(row))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// identity is the name of a row; of queues their port's.
func identity(row map[string]any) string {
	if id, ok := row["id"]; ok {
		return document.Value("id", id)
	}
	return document.Value("port", row["port"])
}

func indent(out io.Writer, text []byte) error {
	var buffer bytes.Buffer
	if err := json.Indent(&buffer, bytes.TrimSpace(text), "", "  "); err != nil {
		return err
	}
	buffer.WriteByte('\n')
	_, err := buffer.WriteTo(out)
	return err
}

// table prints rows with a column for each of the fields that any of them has.
func table(out io.Writer, columns string, rows []map[string]any) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(out, "none")
		return err
	}
	fields := slices.DeleteFunc(strings.Fields(columns), func(field string) bool {
		return !slices.ContainsFunc(rows, func(row map[string]any) bool {
			_, has := row[field]
			return has
		})
	})
	writer := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	oneLine := strings.NewReplacer("\t", " ", "\n", " ")
	line := func(of func(field string) string) {
		cells := make([]string, len(fields))
		for i, field := range fields {
			cells[i] = oneLine.Replace(of(field))
		}
		fmt.Fprintln(writer, strings.Join(cells, "\t"))
	}
	line(document.Heading)
	for _, row := range rows {
		line(func(field string) string { return document.Value(field, row[field]) })
	}
	return writer.Flush()
}

// objects are the items of a list that are some.
func objects(list any) []map[string]any {
	items, _ := list.([]any)
	var found []map[string]any
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			found = append(found, object)
		}
	}
	return found
}

// sections print an object: what has one value in a line, then each list as a table with the columns of its field.
func sections(out io.Writer, object map[string]any, columns map[string]string) error {
	type list struct {
		name, field string
		rows        []map[string]any
	}
	var lists []list
	var lines func(prefix string, object map[string]any)
	lines = func(prefix string, object map[string]any) {
		for _, field := range slices.Sorted(maps.Keys(object)) {
			if nested, ok := object[field].(map[string]any); ok {
				lines(prefix+field+".", nested)
			} else if rows := objects(object[field]); len(rows) > 0 {
				lists = append(lists, list{prefix + field, field, rows})
			} else {
				fmt.Fprintf(out, "%s: %s\n", prefix+field, document.WithUnit(field, object[field]))
			}
		}
	}
	lines("", object)
	for _, each := range lists {
		fmt.Fprintf(out, "\n%s:\n", each.name)
		if err := table(out, first(columns[each.field], strings.Join(slices.Sorted(maps.Keys(each.rows[0])), " ")), each.rows); err != nil {
			return err
		}
	}
	return nil
}
