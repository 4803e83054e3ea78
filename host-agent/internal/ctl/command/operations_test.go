// SPDX-License-Identifier: Apache-2.0

package command

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

var update = flag.Bool("update", false, "write testdata/commands.txt")

// commandLines reach the operations of the interface; what they print is in testdata/commands.txt.
var commandLines = []string{
	"get access", "get background-flows --limit 5", "get caps", "get deadlines", "get endpoints", "get endpoint h1/vm0", "get flows --state waiting --limit 3",
	"get flow 3", "get hosts", "get host h1", "get journal --kind unit-share --port of:0000000000000001/5 --since 2026-01-01T00:00:00Z", "get policies",
	"get policy-hosts", "get policy-revisions", "get ports", "get port of:0000000000000001/5", "get queues", "get queue of:0000000000000001/5",
	"get tenants", "get tenant t1", "get topology", "get tenants -o yaml", "get host h1 -o json",
	"set tenant t1 --weight 3 --guarantee 10 --add-member h2/vm0=2 --add-member 10.1.0.0/16 --remove-member 02:00:00:00:01:01",
	"set flow 3 --size 500kB --due 400ms", "create flow 10.0.0.1 10.0.0.5:5001 400kB 300ms --force",
	"delete tenant t1 --confirm", "delete flow 3", "delete host h1", "delete policies", "rollback policies 1",
	"apply -f testdata/tenants.yaml", "apply -f testdata/tenants.yaml --dry-run", "apply -f testdata/policies.yaml", "apply -f testdata/policies.yaml --dry-run",
	"why h1/vm0", "why 3", "doctor", "doctor -o json", "status", "status -o json",
}

// unreached are operations that no command sends, with the reason.
var unreached = map[string]string{
	"POST /tenants":     "set tenant creates by PUT with If-None-Match: *, which gives the same",
	"GET /metrics":      "Prometheus reads it",
	"GET /history":      "the page draws it",
	"GET /openapi.json": "it describes the others",
	"GET /stream":       "watch does: TestWatchShowsChangesAndContinues",
	"PUT /tenants/{id}": "set tenant does where there is none: TestATenantThatIsMissingIsCreated",
}

func TestCommandLinesReachEveryOperation(t *testing.T) {
	c := startController(t)
	var found strings.Builder
	for _, line := range commandLines {
		code, out, errOut := c.run(strings.Fields(line)...)
		fmt.Fprintf(&found, "$ sluicectl %s\n%s%s", line, out, errOut)
		if code != 0 {
			fmt.Fprintf(&found, "exit code %d\n", code)
		}
		found.WriteByte('\n')
	}
	printed := strings.ReplaceAll(found.String(), c.URL, "http://controller")
	golden(t, "testdata/commands.txt", printed)
	gone := maps.Clone(unreached)
	for path, item := range c.document.Paths.Map() {
		for method := range item.Operations() {
			operation := method + " " + path
			if _, named := unreached[operation]; named == c.reached[operation] {
				t.Errorf("%s: reached by a command: %v, named as unreached: %v", operation, c.reached[operation], named)
			}
			delete(gone, operation)
		}
	}
	if len(gone) > 0 {
		t.Errorf("the document has no such operations: %v", gone)
	}
}

func schemaOf(get *openapi3.Operation) *openapi3.Schema {
	return get.Responses.Status(200).Value.Content["application/json"].Schema.Value
}

func fieldsOf(schema *openapi3.Schema) map[string]bool {
	fields := map[string]bool{}
	for field := range schema.Properties {
		fields[field] = true
	}
	for _, part := range slices.Concat(schema.AllOf, schema.AnyOf) {
		maps.Copy(fields, fieldsOf(part.Value))
	}
	return fields
}

func golden(t *testing.T, file, found string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(found), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expected, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was, is := strings.Split(string(expected), "\n"), strings.Split(found, "\n")
	for i := range max(len(was), len(is)) {
		if i >= len(was) || i >= len(is) || was[i] != is[i] {
			t.Fatalf("%s differs from line %d on; if that is meant, run go test ./internal/ctl/command -update\n%s", file, i+1,
				strings.Join(is[min(i, len(is)):min(i+20, len(is))], "\n"))
		}
	}
}

// TestFiltersAndColumnsAreTheDocuments finds options, fields and events that the interface has not, and those that it has alone.
func TestFiltersAndColumnsAreTheDocuments(t *testing.T) {
	document, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range resources {
		get := document.Paths.Value(of.list).Get
		known := map[string]bool{}
		for _, each := range of.filters {
			known[each.name] = true
		}
		for name := range of.fixed {
			known[name] = true
		}
		for _, parameter := range get.Parameters {
			if parameter.Value.In == "query" && !known[parameter.Value.Name] && !(of.name == "background-flows" && parameter.Value.Name == "state") &&
				!(of.name == "flows" && parameter.Value.Name == "kind") {
				t.Errorf("get %s has no option for the parameter %s", of.name, parameter.Value.Name)
			}
			delete(known, parameter.Value.Name)
		}
		if len(known) > 0 {
			t.Errorf("get %s: the document lacks the parameters %v", of.name, known)
		}
	}
	for _, of := range resources {
		get := document.Paths.Value(of.list).Get
		item := schemaOf(get)
		if of.rows != "" {
			item = item.Properties[of.rows].Value.Items.Value
		}
		known := fieldsOf(item)
		if of.name == "tenants" {
			maps.Copy(known, fieldsOf(schemaOf(document.Paths.Value("/tenants/{id}").Get)))
		}
		for _, column := range strings.Fields(of.columns) {
			if !known[column] {
				t.Errorf("get %s: the document has no field %s", of.name, column)
			}
		}
		for field, columns := range of.tables {
			list := item.Properties[field]
			if list == nil {
				continue // deeper
			}
			known := fieldsOf(list.Value.Items.Value)
			for _, column := range strings.Fields(columns) {
				if !known[column] {
					t.Errorf("get %s: the document has no field %s of %s", of.name, column, field)
				}
			}
		}
	}
	events := document.Paths.Value("/stream").Get.Responses.Status(200).Value.Content["text/event-stream"].Extensions["x-events"].(map[string]any)
	for event := range events {
		if _, known := watchable[event]; !known && event != timeEvent {
			t.Errorf("watch does not know the event %s", event)
		}
	}
	for event := range watchable {
		if events[event] == nil {
			t.Errorf("the document has no event %s", event)
		}
	}
	tenant := document.Components.Schemas["TenantStatus"].Value
	if fmt.Sprint(tenant.Required) != fmt.Sprint(shownOnly) {
		t.Errorf("one tenant has the fields %v beside what is set, not %v", tenant.Required, shownOnly)
	}
}
