// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/agent"
	"github.com/sluice-sdn/sluice/host-agent/internal/certificates/certificatetest"
	"github.com/sluice-sdn/sluice/host-agent/internal/connections"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/footprint"
	"github.com/sluice-sdn/sluice/host-agent/internal/hooks"
	"github.com/sluice-sdn/sluice/host-agent/internal/interfaces"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/port"
	"github.com/sluice-sdn/sluice/host-agent/internal/status"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func execute(arguments ...string) (string, error) {
	var output bytes.Buffer
	root := rootCommand()
	root.SetArgs(arguments)
	root.SetOut(&output)
	root.SetErr(&output)
	err := root.Execute()
	return output.String(), err
}

func TestUsageErrorsExitWithTheirOwnCode(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	if err := os.WriteFile(broken, []byte("host: h1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{
		{},
		{"run", "surplus"},
		{"run", "--unknown"},
		{"run", "--config", broken},
		{"run", "--config", "/nonexistent.yaml"},
		{"port", "--config", broken},
		{"config"},
		{"config", "check"},
		{"config", "check", broken},
		{"config", "check", "/nonexistent.yaml"},
		{"config", "check", broken, broken},
		{"status", "--config", broken},
		{"metrics", "surplus"},
		{"man"},
		{"man", "directory"},
		{"metrics", "--textfile", "sluice.txt"},
		{"status", "--config", broken, "--run-dir", "/run/sluice"},
		{"limit", "vm0"},
		{"limit", "vm0", "fast"},
		{"limit", "vm0", "-5"},
		{"limit", "vm0", "NaN"},
		{"limit", "vm0", "0"},
		{"flow"},
		{"flow", "add", "10.0.0.1", "10.0.0.5", "400000"},
		{"flow", "add", "vm1", "10.0.0.5", "400000", "300ms"},
		{"flow", "add", "10.0.0.1", "10.0.0.5:70000", "400000", "300ms"},
		{"flow", "add", "10.0.0.1", "10.0.0.5", "0", "300ms"},
		{"flow", "add", "10.0.0.1", "10.0.0.5", "10XB", "300ms"},
		{"flow", "add", "10.0.0.1", "10.0.0.5", "9999999999GB", "300ms"},
		{"flow", "add", "10.0.0.1", "10.0.0.5", "400000", "-3ms"},
		{"flow", "add", "10.0.0.1", "10.0.0.5", "400000", "tomorrow"},
		{"flow", "remove"},
		{"flow", "remove", "x"},
		{"flow", "list", "surplus"},
	} {
		_, err := execute(arguments...)
		var usage usageError
		if !errors.As(err, &usage) {
			t.Errorf("%q: %v, want a usage error (exit %d)", arguments, err, exitUsage)
		}
	}
}

func TestFailuresAreNoUsageErrors(t *testing.T) {
	for _, arguments := range [][]string{
		{"status"}, {"metrics"}, {"flow", "list"}, {"flow", "remove", "3"}, {"flow", "add", "10.0.0.1", "10.0.0.5", "4kB", "300ms"},
	} {
		_, err := execute(append(arguments, "--run-dir", t.TempDir())...)
		var usage usageError
		if err == nil || errors.As(err, &usage) {
			t.Errorf("%q: %v, want a failure (exit %d)", arguments, err, exitFailure)
		}
	}
}

func TestEveryCommandHasHelp(t *testing.T) {
	for _, name := range []string{
		"run", "port", "status", "limit", "cleanup", "probe", "version", "flow", "flow add", "flow remove", "flow list",
		"config", "config check", "controllers", "metrics",
	} {
		output, err := execute(append(strings.Fields(name), "--help")...)
		if err != nil || !strings.Contains(output, "sluice-agent "+name) {
			t.Errorf("%s: %q, %v", name, output, err)
		}
	}
}

func manual(t *testing.T) (directory string) {
	t.Helper()
	directory = t.TempDir()
	if output, err := execute("man", directory, documents); err != nil || output != "" {
		t.Fatalf("%q, %v", output, err)
	}
	return directory
}

const documents = "../../../docs"

func TestManualHasAPageForEveryCommand(t *testing.T) {
	directory := manual(t)
	for _, page := range []string{"sluice-agent.8", "sluice-agent-run.8", "sluice-agent-flow-add.8", "sluice-agent-config-check.8"} {
		text, err := os.ReadFile(filepath.Join(directory, "man8", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range []string{"SYNOPSIS", "EXIT STATUS", "SEE ALSO"} {
			if !strings.Contains(string(text), ".SH "+section+"\n") {
				t.Errorf("%s has no section %s", page, section)
			}
		}
	}
}

// The documents have every key: a test of package config.
func TestManualHasEveryKeyOfTheDocuments(t *testing.T) {
	directory := manual(t)
	for page, document := range map[string]string{"agent.yaml.5": "agent-configuration.md", "port.yaml.5": "port-agent.md"} {
		text, err := os.ReadFile(filepath.Join(directory, "man5", page))
		if err != nil {
			t.Fatal(err)
		}
		markdown, err := os.ReadFile(filepath.Join(documents, document))
		if err != nil {
			t.Fatal(err)
		}
		_, table, _ := strings.Cut(string(markdown), "| key | unit, values |")
		table, _, _ = strings.Cut(table, "\n\n")
		keys := regexp.MustCompile("`([^`]+)`")
		rows := strings.Split(table, "\n")[2:]
		if len(rows) < 10 {
			t.Fatalf("%s: %d rows", document, len(rows))
		}
		for _, row := range rows {
			for _, key := range keys.FindAllStringSubmatch(strings.Split(row, " | ")[0], -1) {
				if !strings.Contains(string(text), "\n\\fB"+key[1]+"\\fR") && !strings.Contains(string(text), ", \\fB"+key[1]+"\\fR") {
					t.Errorf("%s lacks %s", page, key[1])
				}
			}
		}
		if strings.Contains(string(text), ".md") {
			t.Errorf("%s refers to files of the documentation", page)
		}
	}
}

func TestVersionIsAFlagToo(t *testing.T) {
	if output, err := execute("--version"); err != nil || output != "sluice-agent version "+version+"\n" {
		t.Errorf("%q, %v", output, err)
	}
}

func TestShellsCompleteCommands(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if output, err := execute("completion", shell); err != nil || !strings.Contains(output, "sluice-agent") {
			t.Errorf("%s: %v", shell, err)
		}
	}
	if output, err := execute("__complete", "st"); err != nil || !strings.Contains(output, "status") {
		t.Errorf("%q, %v", output, err)
	}
}

// running answers status and limit like an agent.
func running(t *testing.T, answer any, received *status.Request) string {
	t.Helper()
	directory := t.TempDir()
	server, err := status.Serve(footprint.SocketPath(directory), func(request status.Request) (any, error) {
		*received = request
		return answer, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return directory
}

func configuration(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const aHost = "host: h1\nuplink: {interface: eth0, capacityMbps: 100}\nendpoints: {source: bridge}\n"

func TestConfigCheckNamesTheRole(t *testing.T) {
	aPort := "port: of:0000000000000001/5\ningress: in0\negress: out0\ncapacityMbps: 100\n"
	for text, role := range map[string]string{aHost: "host", aPort: "port"} {
		file := configuration(t, text)
		if output, err := execute("config", "check", file); err != nil || !strings.Contains(output, "of a "+role) {
			t.Errorf("%q, %v, want a valid configuration of a %s", output, err, role)
		}
	}
}

func TestConfigCheckNamesEveryFieldThatIsWrong(t *testing.T) {
	file := configuration(t, strings.Replace(aHost, "100", "-1", 1)+"tauMicros: 7\n")
	_, err := execute("config", "check", file)
	for _, field := range []string{"uplink.capacityMbps", "tauMicros"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%v: %s is not named", err, field)
		}
	}
}

func TestConfigCheckExaminesCertificates(t *testing.T) {
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		prepare func(a *certificatetest.Authority)
		words   []string // none: valid
	}{
		"valid":   {func(*certificatetest.Authority) {}, nil},
		"expired": {func(a *certificatetest.Authority) { a.Ends = a.Begins.Add(time.Minute); a.Host("h1", "h1") }, []string{"tls.certificate", "h1.pem", "ended on 20"}},
		"not yet valid": {func(a *certificatetest.Authority) {
			a.Begins, a.Ends = a.Ends.Add(day), a.Ends.Add(2*day)
			a.Host("h1", "h1")
		}, []string{"tls.certificate", "begins only on 20"}},
		"authority expired": {func(a *certificatetest.Authority) { a.Ends = a.Begins.Add(time.Minute); a.Renew() }, []string{"tls.ca", "ca.pem", "ended on 20"}},
		"another host's":    {func(a *certificatetest.Authority) { a.Host("h1", "h2") }, []string{"tls.certificate", `"h2"`, "URI:sluice-host:h1"}},
		"all missing":       {func(a *certificatetest.Authority) { removeAll(t, a, "ca.pem", "h1.pem", "h1.key") }, []string{"tls.ca", "tls.certificate", "tls.key", "no such file"}},
		"key of another":    {func(a *certificatetest.Authority) { a.Host("h2", "h2"); rename(t, a, "h2.key", "h1.key") }, []string{"tls.key", "private key does not match"}},
		"no certificates":   {func(a *certificatetest.Authority) { rename(t, a, "h1.key", "h1.pem") }, []string{"tls.certificate", "no PEM", "h1.pem"}},
	} {
		authority := certificatetest.New(t)
		authority.Host("h1", "h1")
		c.prepare(authority)
		files := authority.Files("h1")
		aLink := fmt.Sprintf("host: h1\ncontrollers: [127.0.0.1:1]\ntls: {ca: %s, certificate: %s, key: %s}\n", files.CA, files.Certificate, files.Key)
		aPort := strings.Replace(aLink, "host: h1", "port: of:0000000000000001/5\nhost: h1\ningress: in0\negress: out0\ncapacityMbps: 100", 1)
		for role, text := range map[string]string{"host": strings.Replace(aHost, "host: h1\n", aLink, 1), "port": aPort} {
			file := configuration(t, text)
			_, err := execute("config", "check", file)
			words := append([]string{file + ": "}, c.words...)
			switch {
			case role == "port" && len(c.words) == 0:
				words = append(words, "URI:sluice-switch:of:0000000000000001") // the certificate names no switch
			case len(c.words) == 0:
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			var usage usageError
			if !errors.As(err, &usage) {
				t.Errorf("%s, %s: %v, want a refusal", name, role, err)
				continue
			}
			for _, word := range words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%s, %s: %v, want %q", name, role, err, word)
				}
			}
		}
	}
}

func removeAll(t *testing.T, a *certificatetest.Authority, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(a.File(name)); err != nil {
			t.Fatal(err)
		}
	}
}

func rename(t *testing.T, a *certificatetest.Authority, from, to string) {
	t.Helper()
	if err := os.Rename(a.File(from), a.File(to)); err != nil {
		t.Fatal(err)
	}
}

func TestCleanupNeedsNoReadableConfiguration(t *testing.T) {
	testnet.Enter(t)
	run, pins := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "bpf")
	file := configuration(t, "host: [")
	record, err := footprint.RecordOf(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := record.Begin(run, pins, time.Now()); err != nil {
		t.Fatal(err)
	}
	lock, err := footprint.Acquire(run)
	if err != nil {
		t.Fatal(err)
	}
	traces, err := footprint.New(run, pins)
	if err != nil {
		t.Fatalf("%v (this test needs root)", err)
	}
	if err := errors.Join(traces.Save(), lock.Release()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"removed\n", "nothing to remove"} {
		if output, err := execute("cleanup", "--config", file); err != nil || !strings.Contains(output, want) {
			t.Errorf("%q, %v, want %q", output, err, want)
		}
	}
	for _, directory := range []string{run, pins} {
		if _, err := os.Stat(directory); !os.IsNotExist(err) {
			t.Errorf("%s is still there", directory)
		}
	}
}

func TestCleanupOfAMissingFile(t *testing.T) {
	if output, err := execute("cleanup", "--config", "/nonexistent.yaml"); err != nil || !strings.Contains(output, "/nonexistent.yaml") {
		t.Errorf("%q, %v", output, err)
	}
}

func TestStatusByConfigurationFile(t *testing.T) {
	var received status.Request
	file := configuration(t, aHost+"runDirectory: "+running(t, agent.Status{Role: "host", Host: "h1"}, &received)+"\n")
	if output, err := execute("status", "--config", file); err != nil || !strings.Contains(output, "h1") {
		t.Errorf("%q, %v", output, err)
	}
}

func TestMetricsOfBothRoles(t *testing.T) {
	for word, answer := range map[string]any{
		`sluice_agent_info{host="h1"`: agent.Status{Role: "host", Host: "h1"}, `sluice_port_info{`: port.Status{Role: "port", Port: "p"},
	} {
		var received status.Request
		directory := running(t, answer, &received)
		if output, err := execute("metrics", "--run-dir", directory); err != nil || !strings.Contains(output, word) {
			t.Errorf("%q, %v, want %s", output, err, word)
		}
		file := filepath.Join(directory, "sluice.prom")
		if output, err := execute("metrics", "--run-dir", directory, "--textfile", file); err != nil || output != "" {
			t.Errorf("%q, %v", output, err)
		}
		if written, err := os.ReadFile(file); err != nil || !strings.Contains(string(written), word) {
			t.Errorf("%q, %v, want %s", written, err, word)
		}
	}
}

func TestLimitIsSentToTheAgent(t *testing.T) {
	var received status.Request
	directory := running(t, 1, &received)
	if _, err := execute("limit", "vm0", "12.5", "--run-dir", directory); err != nil {
		t.Fatal(err)
	}
	if received.Interface != "vm0" || received.RateBitsPerSecond != 12_500_000 {
		t.Errorf("%+v", received)
	}
	if _, err := execute("limit", "vm0", "off", "--run-dir", directory); err != nil || received.RateBitsPerSecond != 0 {
		t.Errorf("off: %+v, %v", received, err)
	}
}

func TestStatusOfBothRoles(t *testing.T) {
	host := agent.Status{Role: "host", Host: "h1", Endpoints: []endpoints.Status{
		{Interface: "vm0", Tenant: "gold", Groups: []endpoints.GroupStatus{{Port: "of:0000000000000001/5", LeastPort: "of:0000000000000009/3", RateBitsPerSecond: 12_500_000}},
			Levels: &endpoints.LevelStatus{DemotedFlows: 57}},
	}, Levels: &agent.LevelsStatus{ThresholdBytes: []uint64{16384, 99999}, DSCP: []int{24, 16, 0}, IdleMillis: 640}, Waiting: []interfaces.Missing{{Interface: "vm7", Reason: "no such interface"}}, Link: &link.Counters{Sessions: 4, StaleRefused: 31},
		Flows: connections.Status{Watching: true, Grants: 17}}
	for _, c := range []struct {
		answer any
		words  []string
	}{
		{host, []string{"h1", "vm0", "gold", "of:0000000000000001/5 (share of of:0000000000000009/3)", "12.50", "vm7", "4 sessions", "31 stale", "granted for 17", "none known yet",
			"DSCP 24, from 16384 bytes on 16, from 99999 bytes on 0", "640 ms", "57 flows"}},
		{port.Status{Role: "port", Port: "of:0000000000000002/1", MarkedPackets: 77, LossStatus: port.LossStatus{ReportedLosses: 88},
			Levels: []port.LevelStatus{{DSCP: 16}, {DSCP: 0, QueueCounters: port.QueueCounters{BacklogPackets: 64, DroppedPackets: 53}}},
			Background: &port.BackgroundStatus{
				Queues: []port.BackgroundQueueStatus{
					{Downstream: "of:0000000000000003/4", Destinations: 21, CapBitsPerSecond: 8_500_000, CapEndsInMillis: 73.4,
						QueueCounters: port.QueueCounters{BacklogPackets: 22}},
					{Downstream: "of:0000000000000003/5", Draining: true},
				},
				MissingQueues: 23, CapCounters: port.CapCounters{ExpiredCaps: 24, RefusedCaps: 25},
			}},
			[]string{"of:0000000000000002/1", "77", "88 reported", "DSCP 16: backlog 0", "DSCP 0: backlog 64", "dropped 53",
				"for of:0000000000000003/4, 21 destinations: backlog 22", "capped at 8.50 Mbit/s for 73 ms\n",
				"for of:0000000000000003/5", "goes when it is empty", "23 queues are not there", "24 ended", "25 refused"}},
	} {
		var received status.Request
		directory := running(t, c.answer, &received)
		output, err := execute("status", "--run-dir", directory)
		for _, word := range c.words {
			if err != nil || !strings.Contains(output, word) {
				t.Errorf("%q lacks %q, %v", output, word, err)
			}
		}
		output, err = execute("status", "--json", "--run-dir", directory)
		if err != nil || !json.Valid([]byte(output)) {
			t.Errorf("%q is no JSON, %v", output, err)
		}
	}
}

func TestStatusSaysByItsExitWhatIsNotEnforced(t *testing.T) {
	var received status.Request
	before := interfaces.Neighbour{Interface: "vm0", Occupant: hooks.Occupant{Hook: hooks.Ingress, ID: 12, Name: "first"}, Before: true}
	behind := interfaces.Neighbour{Interface: "up0", Occupant: hooks.Occupant{Hook: hooks.ClsactEgress, Name: "u32"}}
	directory := running(t, agent.Status{
		Role: "host", Enforcement: true, NotEnforced: []string{before.NotEnforced()}, Neighbours: []interfaces.Neighbour{before, behind},
	}, &received)
	output, err := execute("status", "--run-dir", directory)
	if !errors.Is(err, errNotEnforced) {
		t.Errorf("%v, want exit status %d", err, exitNotEnforced)
	}
	for _, word := range []string{"enforcement incomplete", "not enforced: vm0: first (tcx ingress, program 12)", "at up0: u32 (clsact egress)"} {
		if !strings.Contains(output, word) {
			t.Errorf("%q lacks %q", output, word)
		}
	}
	if output, err = execute("status", "--json", "--run-dir", directory); !errors.Is(err, errNotEnforced) || !json.Valid([]byte(output)) {
		t.Errorf("%v\n%s", err, output)
	}
}

func TestStatusShowsUntilWhenCertificatesAreValid(t *testing.T) {
	until := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	certificates := &link.Certificates{Fault: "tls.key: wrong", Known: []link.Certificate{
		{Of: "agent", From: "/etc/sluice/h1.pem", NotAfter: until, DaysLeft: 12},
		{Of: "controller", From: "10.9.0.1:6680", NotAfter: until, DaysLeft: -1},
	}}
	for _, answer := range []any{
		agent.Status{Role: "host", Certificates: certificates},
		port.Status{Role: "port", LinkStatus: port.LinkStatus{Certificates: certificates}},
	} {
		var received status.Request
		directory := running(t, answer, &received)
		for flag, words := range map[string][]string{
			"--json=false": {"agent (/etc/sluice/h1.pem): 12 days left, until 2026-03-01T12:00:00Z",
				"controller (10.9.0.1:6680): ended on 2026-03-01T12:00:00Z", "tls.key: wrong"},
			"--json": {`"daysLeft": 12`, `"notAfter": "2026-03-01T12:00:00Z"`, `"fault": "tls.key: wrong"`},
		} {
			output, err := execute("status", flag, "--run-dir", directory)
			for _, word := range words {
				if err != nil || !strings.Contains(output, word) {
					t.Errorf("%q lacks %q, %v", output, word, err)
				}
			}
		}
	}
}

func TestProbeNamesEveryFeature(t *testing.T) {
	output, err := execute("probe", "--json")
	if err != nil {
		t.Fatalf("%v (this test needs root)\n%s", err, output)
	}
	for _, name := range []string{"tcx", "htb", "exact-backlog", "shim-programs"} {
		if !strings.Contains(output, `"`+name+`"`) {
			t.Errorf("%s is not among\n%s", name, output)
		}
	}
}

// Without what the agent needs, which may be privileges, programs at interfaces cannot be listed either.
func TestProbeNamesWhatIsMissingAndItsRemedyWhereNoProgramsCanBeListed(t *testing.T) {
	var output string
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the runtime ends the thread, which has no privileges
		header, none := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, [2]unix.CapUserData{}
		if err = unix.Capset(&header, &none[0]); err == nil {
			output, err = execute("probe")
		}
	}()
	<-done
	if err == nil || !strings.Contains(err.Error(), "privileges: ") || !strings.Contains(output, "-> sudo sluice-agent") {
		t.Errorf("%v and %q, want what is missing, and the remedy", err, output)
	}
}

func TestASignalEndsTheWaitBeforeAStartAndItsCount(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "/nonexistent")
	file := configuration(t, aHost)
	directory := t.TempDir()
	run, pins := filepath.Join(directory, "run"), filepath.Join(directory, "bpf")
	for range 5 {
		record, err := footprint.RecordOf(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := record.Begin(run, pins, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	starts := 0
	signalled, cancel := context.WithCancel(t.Context())
	cancel()
	err := recorded(signalled, file, run, pins, slog.New(slog.DiscardHandler), func() error { starts++; return nil })
	if err != nil || starts != 0 {
		t.Errorf("%d starts, %v", starts, err)
	}
	record, err := footprint.RecordOf(file)
	if err != nil || record.Pause(time.Now()) != 0 {
		t.Errorf("the next start would wait %v, %v", record.Pause(time.Now()), err)
	}
}
