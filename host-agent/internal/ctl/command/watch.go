// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/document"
	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/rest"
)

const timeEvent = "time"

// watchable are events, and the fields that name their rows.
var watchable = map[string][]string{
	"topology":  nil,
	"tenants":   {"id"},
	"hosts":     {"id"},
	"findings":  {"about", "what"},
	"cluster":   nil,
	"ports":     {"id"},
	"endpoints": {"id"},
	"flows":     {"id"},
	"journal":   {"sequence"},
}

// passing are fields whose change is none of its row.
var passing = []string{"dueInMillis", "lastSeen"}

// reconnectAfter is the pause after a stream that failed or had nothing; one that ends is continued at once.
var reconnectAfter = 2 * time.Second

// watcher knows what the stream has said.
type watcher struct {
	session *session
	kinds   []string
	// known rows, by kind and name.
	known map[string]map[string]map[string]any
	// at is the controller's time; printed and printedAt are of the latest entry of the journal.
	at        string
	printed   int64
	printedAt time.Time
}

func (s *session) watchCommand() *cobra.Command {
	kinds := slices.Sorted(maps.Keys(watchable))
	return &cobra.Command{
		Use:   "watch [KIND...]",
		Short: "Show what changes, until it is interrupted: " + strings.Join(kinds, ", "),
		Long: `Shows what changes, until it is interrupted. Without KIND all but what changes all the time: tenants, hosts, findings,
journal. With -o json the stream's events, one a line.`,
		ValidArgs: kinds,
		Args: func(_ *cobra.Command, given []string) error {
			for _, kind := range given {
				if !slices.Contains(kinds, kind) {
					return rest.Misusef("watch: KIND %q is unknown: give some of %s", kind, strings.Join(kinds, ", "))
				}
			}
			return nil
		},
		RunE: func(command *cobra.Command, given []string) error {
			if len(given) == 0 {
				given = []string{"tenants", "hosts", "findings", "journal"}
			}
			w := &watcher{session: s, kinds: given, known: map[string]map[string]map[string]any{}, printed: -1}
			return w.run(command.Context())
		},
	}
}

func (w *watcher) run(ctx context.Context) error {
	client, err := w.session.connected(ctx)
	if err != nil {
		return err
	}
	id, away := "", false
	for {
		served := false
		err := client.Stream(ctx, id, func(event rest.Event) error {
			id, served, away = event.ID, true, false
			return w.take(event)
		})
		var problem *rest.Problem
		temporary := errors.As(err, new(rest.Unreachable)) || errors.As(err, &problem) && problem.Temporary()
		if ctx.Err() != nil {
			return nil // interrupted, which is its end
		}
		if err != nil && (!temporary || id == "") {
			return err
		}
		if err != nil && !away {
			fmt.Fprintf(w.session.errOut, "sluicectl: %v; trying again\n", err)
			away = true
		}
		if err != nil || !served {
			select {
			case <-ctx.Done():
			case <-time.After(reconnectAfter):
			}
		}
	}
}

func (w *watcher) take(event rest.Event) error {
	data, err := document.Object(event.Data)
	if err != nil {
		return err
	}
	if event.Name == timeEvent {
		w.at = document.Value("at", data["at"])
	}
	if !slices.Contains(w.kinds, event.Name) {
		return nil
	}
	if w.session.output != "table" {
		return w.pass(event)
	}
	if event.Name == "journal" {
		return w.journal(data)
	}
	if event.Name == "topology" {
		return w.replace(event.Name, parts(data))
	}
	rows := map[string]map[string]any{}
	for _, row := range objects(data["rows"]) {
		rows[nameBy(watchable[event.Name], row)] = row
	}
	if complete, partial := data["complete"].(bool); partial && !complete {
		for name, row := range rows {
			w.change(event.Name, name, row)
		}
		gone, _ := data["gone"].([]any)
		for _, name := range gone {
			w.change(event.Name, document.Value("id", name), nil)
		}
		return nil
	}
	return w.replace(event.Name, rows)
}

// pass prints an event as it came, in one line or as a document of YAML.
func (w *watcher) pass(event rest.Event) error {
	line, err := json.Marshal(map[string]any{"event": event.Name, "data": json.RawMessage(event.Data)})
	if err == nil && w.session.output == "yaml" {
		line, err = document.YAML(line)
		line = append([]byte("---\n"), line...)
		line = line[:len(line)-1]
	}
	if err != nil {
		return err
	}
	return w.session.sayf("%s", line)
}

// parts are the switches, links and attachments of a topology by what they are.
func parts(topology map[string]any) map[string]map[string]any {
	rows := map[string]map[string]any{}
	for list, fields := range map[string][]string{"switches": {"datapath"}, "links": {"source", "target"}, "attachments": {"port", "host"}} {
		for _, row := range objects(topology[list]) {
			rows[list+" "+nameBy(fields, row)] = row
		}
	}
	return rows
}

func nameBy(fields []string, row map[string]any) string {
	values := make([]string, len(fields))
	for i, field := range fields {
		values[i] = document.Value(field, row[field])
	}
	return strings.Join(values, ", ")
}

// journal prints entries, the oldest first; after a pause the newest come again, those that were printed among them.
func (w *watcher) journal(data map[string]any) error {
	for _, entry := range slices.Backward(withEvidence(objects(data["rows"]))) {
		at, _ := time.Parse(time.RFC3339, document.Value("time", entry["time"]))
		number, _ := strconv.ParseInt(document.Value("sequence", entry["sequence"]), 10, 64)
		if at.Before(w.printedAt) || at.Equal(w.printedAt) && number <= w.printed {
			continue
		}
		w.printedAt, w.printed = at, number
		if err := w.session.sayf("%s journal %s: %s", entry["time"], entry["kind"], entry["decision"]); err != nil {
			return err
		}
	}
	return nil
}

// replace puts rows in the place of all of a kind.
func (w *watcher) replace(kind string, rows map[string]map[string]any) error {
	before, later := w.known[kind]
	if !later {
		w.known[kind] = rows
		return w.session.sayf("%s%s: %d", w.time(), kind, len(rows))
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		w.change(kind, name, rows[name])
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if rows[name] == nil {
			w.change(kind, name, nil)
		}
	}
	return nil
}

// change prints what is another at a row; nil: it is gone.
func (w *watcher) change(kind, name string, row map[string]any) {
	if w.known[kind] == nil {
		w.known[kind] = map[string]map[string]any{}
	}
	before := w.known[kind][name]
	say := func(text string) {
		_ = w.session.sayf("%s%s %s %s", w.time(), strings.TrimSuffix(kind, "s"), name, text)
	}
	switch {
	case row == nil:
		delete(w.known[kind], name)
		say("is gone")
		return
	case before == nil:
		say("is new")
	default:
		lines := slices.DeleteFunc(document.Differences(before, row, ""), func(line string) bool {
			field, _, _ := strings.Cut(line, ":")
			return slices.Contains(passing, field)
		})
		if len(lines) > 0 {
			say(strings.Join(lines, "; "))
		}
	}
	w.known[kind][name] = row
}

func (w *watcher) time() string {
	if w.at == "" {
		return ""
	}
	return w.at + " "
}
