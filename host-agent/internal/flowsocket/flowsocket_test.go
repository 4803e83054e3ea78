// SPDX-License-Identifier: Apache-2.0

package flowsocket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// conversation is with a server whose controller answers as a test decides.
type conversation struct {
	t         *testing.T
	path      string
	requested model.FlowRequest
	answer    model.FlowAnswer
	failure   error
	lines     *bufio.Reader
	socket    net.Conn
}

func begin(t *testing.T) *conversation {
	t.Helper()
	c := &conversation{t: t, path: filepath.Join(t.TempDir(), "flows.sock")}
	server, err := Serve(c.path, func(_ context.Context, request model.FlowRequest) (model.FlowAnswer, error) {
		c.requested = request
		return c.answer, c.failure
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Close()
		if _, err := os.Stat(c.path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the socket is still there (%v)", err)
		}
	})
	if c.socket, err = net.Dial("unix", c.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.socket.Close() })
	c.lines = bufio.NewReader(c.socket)
	return c
}

// send sends a line and returns the answer.
func (c *conversation) send(line string) map[string]any {
	c.t.Helper()
	_ = c.socket.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := fmt.Fprintln(c.socket, line); err != nil {
		c.t.Fatal(err)
	}
	text, err := c.lines.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil {
		c.t.Fatalf("%s: %s: %v", line, text, err)
	}
	return answer
}

const register = `{"register":{"source":"10.0.0.1","destination":"10.0.0.5","destinationPort":5001,"sizeBytes":400000,"dueInMillis":300.5}}`

func TestRequestsAreTranslated(t *testing.T) {
	c := begin(t)
	if info, err := os.Stat(c.path); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	c.answer = model.FlowAnswer{Registered: &model.RegisteredFlow{ID: 7, Promised: true}}
	answer := c.send(register)
	got := c.requested.Register
	want := model.DeadlineRequest{
		Flow: model.FlowID{
			Source: netip.MustParseAddr("10.0.0.1"), Destination: netip.MustParseAddr("10.0.0.5"), DestinationPort: 5001,
		},
		SizeBytes: 400_000, DueInNanos: 300_500_000,
	}
	if got == nil || *got != want || answer["id"] != 7.0 || answer["promised"] != true || answer["state"] != "waiting" {
		t.Errorf("requested %+v, answered %v", got, answer)
	}
	due := time.Now().Add(time.Minute).Format(time.RFC3339Nano)
	c.send(strings.Replace(register, `"dueInMillis":300.5`, `"force":true,"beginsInMillis":20.5,"deadline":"`+due+`"`, 1))
	if got := time.Duration(c.requested.Register.DueInNanos); got < 55*time.Second || got > time.Minute || !c.requested.Register.Force {
		t.Errorf("%+v, want a minute, forced", c.requested.Register)
	}
	if got := c.requested.Register.BeginsInNanos; got != 20_500_000 {
		t.Errorf("begins in %d ns, want 20.5 ms", got)
	}
	removed := true
	c.answer = model.FlowAnswer{Removed: &removed}
	if answer = c.send(`{"remove":7}`); c.requested.Remove != 7 || answer["removed"] != true {
		t.Errorf("requested %+v, answered %v", c.requested, answer)
	}
	removed = false
	if answer = c.send(`{"remove":8}`); answer["status"] != 404.0 || answer["value"] != "8" {
		t.Errorf("answered %v", answer)
	}
	c.answer = model.FlowAnswer{Flows: []model.RegisteredFlow{{
		ID: 9, Flow: want.Flow, SizeBytes: 10, RemainingBytes: 4, DueInNanos: -1_500_000, State: "missed",
	}}}
	flows, _ := c.send(`{"list":{}}`)["flows"].([]any)
	if len(flows) != 1 || !c.requested.List {
		t.Fatalf("requested %+v, answered %v", c.requested, flows)
	}
	flow := flows[0].(map[string]any)
	if flow["id"] != 9.0 || flow["source"] != "10.0.0.1" || flow["destinationPort"] != 5001.0 || flow["dueInMillis"] != -1.5 ||
		flow["remainingBytes"] != 4.0 || flow["state"] != "missed" {
		t.Errorf("%v", flow)
	}
}

func TestRefusalsAreProblems(t *testing.T) {
	c := begin(t)
	earliest := uint64(412_340_000)
	c.answer = model.FlowAnswer{CannotBeMet: &model.CannotBeMet{EarliestNanos: &earliest}}
	if answer := c.send(register); answer["status"] != 409.0 || answer["earliestMillis"] != 412.34 {
		t.Errorf("%v", answer)
	}
	c.answer = model.FlowAnswer{CannotBeMet: &model.CannotBeMet{}}
	answer := c.send(register)
	if null, is := answer["earliestMillis"]; !is || null != nil {
		t.Errorf("%v, want earliestMillis: null", answer)
	}
	c.answer = model.FlowAnswer{Refused: &model.Refusal{Field: "destination", Detail: "is no known endpoint"}}
	if answer = c.send(register); answer["status"] != 400.0 || answer["field"] != "destination" {
		t.Errorf("%v", answer)
	}
	for want, failure := range map[float64]error{
		400: NotAnEndpoint("10.0.0.1"), 503: Unavailable(errors.New("none")), 504: Late(errors.New("late")),
	} {
		c.failure = failure
		if answer = c.send(register); answer["status"] != want || answer["remedy"] == nil {
			t.Errorf("%v, want %v", answer, want)
		}
	}
}

func TestBadRequests(t *testing.T) {
	c := begin(t)
	change := func(old, new string) string {
		changed := strings.Replace(register, old, new, 1)
		if changed == register {
			t.Fatalf("%s is not in it", old)
		}
		return changed
	}
	for line, field := range map[string]string{
		``:                                  "",
		`{`:                                 "",
		`null`:                              "",
		`{}`:                                "",
		`{"list":{},"remove":3}`:            "",
		`{"list":{}} {"list":{}}`:           "",
		`{"remove":-1}`:                     "",
		`{"remove":"x"}`:                    "",
		`{"enlist":{}}`:                     "",
		change(`"10.0.0.1"`, `"vm1"`):       "source",
		change(`"10.0.0.1"`, `"fe80::1%e"`): "source",
		change(`"10.0.0.5"`, `"fd00::1"`):   "destination",
		change(`5001`, `65536`):             "destinationPort",
		change(`5001`, `-1`):                "destinationPort",
		change(`400000`, `0`):               "sizeBytes",
		change(`400000`, `4.5`):             "",
		change(`300.5`, `0`):                "dueInMillis",
		change(`300.5`, `1e30`):             "dueInMillis",
		change(`"dueInMillis":300.5`, `"force":true`):                       "dueInMillis",
		change(`"dueInMillis"`, `"deadline":"2020-01-01T00:00:00Z","soon"`): "",
		change(`"dueInMillis":300.5`, `"deadline":"2020-01-01T00:00:00Z"`):  "deadline",
		change(`300.5`, `1,"deadline":"2090-01-01T00:00:00Z"`):              "deadline",
		change(`300.5`, `300.5,"beginsInMillis":300.5`):                     "beginsInMillis",
		change(`300.5`, `300.5,"beginsInMillis":-1`):                        "beginsInMillis",
		change(`300.5`, `300.5,"beginsInMillis":1e300`):                     "beginsInMillis",
	} {
		answer := c.send(line)
		if answer["status"] != 400.0 || answer["detail"] == "" || answer["field"] != nil && answer["field"] != field ||
			field != "" && answer["field"] == nil {
			t.Errorf("%s: %v, want field %q", line, answer, field)
		}
	}
	if c.requested != (model.FlowRequest{}) {
		t.Errorf("a controller received %+v", c.requested)
	}
}

func TestTooLongLinesCloseTheConnection(t *testing.T) {
	c := begin(t)
	go func() { _, _ = c.socket.Write([]byte(strings.Repeat("x", 2*maxLineBytes))) }()
	_ = c.socket.SetReadDeadline(time.Now().Add(10 * time.Second))
	if line, err := c.lines.ReadString('\n'); err == nil {
		t.Errorf("answered %q", line)
	}
	if answer, err := Query(c.path, Request{List: &struct{}{}}); err != nil || answer == nil {
		t.Errorf("afterwards nobody answers: %v", err)
	}
}

// FuzzRequest has any line sent to the socket: whatever it is, the answer is one line of JSON, and what
// a controller receives makes sense.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(register))
	f.Add([]byte(`{"remove":7}`))
	f.Add([]byte(`{"list":{}}`))
	f.Add([]byte(`{"register":{"source":"::1","destination":"::ffff:1.2.3.4","sizeBytes":1,"deadline":"2090-01-01T00:00:00Z"}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s := &Server{handler: func(_ context.Context, request model.FlowRequest) (model.FlowAnswer, error) {
			got := request.Register
			if got != nil && (!got.Flow.Source.IsValid() || !got.Flow.Destination.IsValid() || got.SizeBytes == 0 ||
				got.SizeBytes > 1<<63 || got.DueInNanos == 0 || got.DueInNanos > uint64(maxDue) ||
				got.Flow.Source.Is4() != got.Flow.Destination.Is4()) {
				t.Errorf("%s: %+v", line, got)
			}
			return model.FlowAnswer{Flows: []model.RegisteredFlow{}}, nil
		}}
		text, err := json.Marshal(s.answer(context.Background(), line))
		if err != nil || len(text) < 2 || text[0] != '{' {
			t.Errorf("%s: %s, %v", line, text, err)
		}
	})
}
