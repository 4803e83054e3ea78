// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluice-sdn/sluice/host-agent/internal/ctl/rest"
)

func problem(status int, kind, detail, rest string) answer {
	return answer{status: status, body: fmt.Sprintf(`{"type": "urn:sluice:problem:%s", "title": "T", "status": %d, "detail": %q%s}`,
		kind, status, detail, rest)}
}

var tooMuch = problem(409, "conflict", "The guarantees would add up to 50 Mbit/s", `, "field": "guaranteeBitsPerSecond", "value": "50000000", "remedy": "Guarantee at most 45 Mbit/s (45000000 bit/s)"`)

func TestRefusalsAreShownWithFieldValueAndRemedy(t *testing.T) {
	c := startController(t)
	c.answers["PATCH /tenants/{id}"] = tooMuch
	code, out, errOut := c.run("set", "tenant", "t1", "--guarantee", "50")
	expected := "sluicectl: The guarantees would add up to 50 Mbit/s\n  field:  --guarantee\n  value:  50\n  remedy: Guarantee at most 45 Mbit/s (45000000 bit/s)\n"
	if code != exitRefused || out != "" || errOut != expected {
		t.Errorf("%d %q %q", code, out, errOut)
	}
	code, out, errOut = c.run("set", "tenant", "t1", "--guarantee", "50", "-o", "json")
	var shown, sent any
	if json.Unmarshal([]byte(errOut), &shown) != nil || json.Unmarshal([]byte(tooMuch.body), &sent) != nil ||
		fmt.Sprint(shown) != fmt.Sprint(sent) || code != exitRefused || out != "" {
		t.Errorf("%d %q %q", code, out, errOut)
	}
}

func TestAServerDoesNotControlTheTerminal(t *testing.T) {
	c := startController(t)
	c.answers["GET /hosts"] = problem(403, "forbidden", "a\u009b31mb", `, "value": "\u001b[2J", "field": "\r\u0007"`)
	for _, output := range []string{"table", "json", "yaml"} {
		if _, _, errOut := c.run("get", "hosts", "-o", output); strings.ContainsAny(errOut, "\u009b\x1b\r\a") || !strings.Contains(errOut, "31mb") {
			t.Errorf("%s: %q", output, errOut)
		}
	}
}

func TestRatesAreSentExactly(t *testing.T) {
	c := startController(t)
	code, _, errOut := c.run("set", "tenant", "t1", "--guarantee", "4.1", "--ceiling", "1e3", "--receive-ceiling", "0.000001")
	sent := c.requests()
	expected := `{"ceilingBitsPerSecond":1000e6,"guaranteeBitsPerSecond":4.1e6,"receiveCeilingBitsPerSecond":0.000001e6}`
	if code != 0 || !strings.HasSuffix(sent[len(sent)-1], expected) {
		t.Errorf("%d %s %v", code, errOut, sent)
	}
}

func TestExitCodes(t *testing.T) {
	c := startController(t)
	c.answers["GET /tenants"] = problem(503, "unavailable", "Not active", "")
	c.answers["GET /hosts"] = problem(500, "internal", "A fault", "")
	c.answers["GET /ports"] = problem(403, "forbidden", "Not yours", "")
	c.answers["GET /doctor"] = answer{status: 200, body: `{"findings": [{"severity": "note", "about": "a", "what": "w", "remedy": "r"}]}`}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for _, each := range []struct {
		line string
		code int
		says string
	}{
		{"get endpoints", 0, ""},
		{"doctor", 0, ""}, // a note is no alarm
		{"get tenants", exitUnreachable, "Not active"},
		{"get hosts", exitFailure, "A fault"},
		{"get ports", exitRefused, "Not yours"},
		{"get access --user nobody", exitUsage, "no password of nobody"}, // the file's is not nobody's
		{"get access --server " + closed.URL, exitUsage, "no password of onos"},
		{"get", exitUsage, "give one of access"},
		{"get nonsense", exitUsage, `"nonsense" is unknown`},
		{"nonsense", exitUsage, `"nonsense" is unknown`},
		{"get tenants --nonsense", exitUsage, "nonsense"},
		{"get tenant a b", exitUsage, "takes [NAME], not 2"},
		{"get endpoint h1", exitUsage, "names nothing"},
		{"delete tenant ..", exitUsage, "names nothing"},
		{"get tenants -o xml", exitUsage, `output "xml": give table, json or yaml`},
		{"set tenant t1 --weight much", exitUsage, "much"},
		{"set tenant t1 --weight NaN", exitUsage, "NaN"},
		{"set tenant t1 --guarantee NaN", exitUsage, "NaN"},
		{"set tenant t1 --member h1/vm0=much", exitUsage, `--member "h1/vm0=much"`},
		{"set tenant t1 --member vlan:blue", exitUsage, `--member "vlan:blue": "vlan:blue" is no property`},
		{"set tenant t1 --member bridge:br0+bridge:br1", exitUsage, `"bridge:br1" is no property of an interface, or one given twice`},
		{"set tenant t1 --member namespace:shop+label:app", exitUsage, `label:KEY:VALUE`},
		{"create flow 10.0.0.1 10.0.0.2 much 1s", exitUsage, `SIZE "much"`},
		{"rollback policies last", exitUsage, `REVISION "last"`},
		{"watch everything", exitUsage, `KIND "everything"`},
		{"apply", exitUsage, "-f FILE"},
		{"apply -f nosuch.yaml", exitUsage, "nosuch.yaml"},
		{"get access --ca nosuch.pem", exitUsage, "nosuch.pem"},
	} {
		code, _, errOut := c.run(append(strings.Fields(each.line), "--timeout", "20s")...)
		if code != each.code || !strings.Contains(errOut, each.says) {
			t.Errorf("%s: exit code %d, not %d: %s", each.line, code, each.code, errOut)
		}
	}
	file := configured(t, "server: "+closed.URL+"\nuser: onos\npassword: rocks\n", 0o600)
	if code, _, errOut := run(t, "", "get", "access", "--config", file, "-o", "json"); code != exitUnreachable ||
		!strings.Contains(errOut, `"type": "urn:sluice:sluicectl:unreachable"`) {
		t.Errorf("%d %s", code, errOut)
	}
}

func TestAServerThatIsNoneOfSluicesIsNamed(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	file := configured(t, "server: "+other.URL+"\nuser: onos\npassword: rocks\n", 0o600)
	code, _, errOut := run(t, "", "status", "--config", file)
	if code != exitUnreachable || !strings.Contains(errOut, onosPath) || !strings.Contains(errOut, "activate the application") {
		t.Errorf("%d %s", code, errOut)
	}
	file = configured(t, "server: "+other.URL+"/elsewhere/\nuser: onos\npassword: rocks\n", 0o600)
	if code, _, errOut = run(t, "", "status", "--config", file); code != exitFailure || !strings.Contains(errOut, "/elsewhere/access was answered with 404") {
		t.Errorf("%d %s", code, errOut)
	}
}

func TestThePathIsFoundWithoutONOS(t *testing.T) {
	c := startController(t)
	const path = "/sluice/v1"
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		below, found := strings.CutPrefix(r.URL.Path, path)
		if !found {
			http.NotFound(w, r)
			return
		}
		r.URL.Path = onosPath + below
		c.ServeHTTP(w, r)
	}))
	defer other.Close()
	file := configured(t, "server: "+other.URL+"\nuser: onos\npassword: rocks\n", 0o600)
	if code, out, errOut := run(t, "", "status", "--config", file); code != exitFailure || !strings.Contains(out, other.URL+path+" as onos") {
		t.Errorf("%d %s %s", code, out, errOut)
	}
}

func TestAPathThatIsGivenIsUsed(t *testing.T) {
	c := startController(t)
	file := configured(t, "server: "+c.URL+onosPath+"/\nuser: onos\npassword: rocks\n", 0o600)
	if code, _, errOut := run(t, "", "get", "hosts", "--config", file); code != 0 || !slices.Equal(c.requests(), []string{"GET /hosts"}) {
		t.Errorf("%d %s %v", code, errOut, c.requests())
	}
}

func TestPasswordsAreReadFromPrivateFilesAlone(t *testing.T) {
	c := startController(t)
	both := "server: " + c.URL + "\nuser: onos\n"
	code, _, errOut := run(t, "", "get", "hosts", "--config", configured(t, both+"password: rocks\n", 0o640))
	if code != exitUsage || !strings.Contains(errOut, "mode 0640") || !strings.Contains(errOut, "chmod 600") {
		t.Errorf("%d %s", code, errOut)
	}
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("rocks\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(rest.PasswordFileVariable, file)
	if code, _, errOut = run(t, "", "get", "hosts", "--config", configured(t, both, 0o600)); code != 0 {
		t.Errorf("%d %s", code, errOut)
	}
	t.Setenv(rest.ServerVariable, c.URL)
	if code, _, errOut = run(t, "", "get", "hosts", "--config", configured(t, "", 0o600), "--user", "onos"); code != 0 {
		t.Errorf("%d %s", code, errOut)
	}
	if code, _, errOut = run(t, "", "get", "hosts", "--config", configured(t, "", 0o600), "--user", "rita"); code != exitRefused {
		t.Errorf("%d %s", code, errOut)
	}
	if err := os.Chmod(file, 0o604); err != nil {
		t.Fatal(err)
	}
	if code, _, errOut = run(t, "", "get", "hosts", "--config", configured(t, both, 0o600)); code != exitUsage || !strings.Contains(errOut, "mode 0604") {
		t.Errorf("%d %s", code, errOut)
	}
	if code, _, errOut = run(t, "", "get", "hosts", "--config", configured(t, "pasword: rocks\n", 0o600)); code != exitUsage || !strings.Contains(errOut, "pasword") {
		t.Errorf("%d %s", code, errOut)
	}
}

func TestAPasswordIsTypedAtTheTerminal(t *testing.T) {
	c := startController(t)
	master, terminal := openTerminal(t)
	var errOut strings.Builder
	if _, err := master.WriteString("rocks\n"); err != nil {
		t.Fatal(err)
	}
	file := configured(t, "server: "+c.URL+"\nuser: onos\n", 0o600)
	code := Run(t.Context(), "1.2.3", []string{"get", "hosts", "--config", file}, Streams{Out: io.Discard, Err: &errOut, Terminal: terminal})
	if code != 0 || errOut.String() != "Password of onos at "+c.URL+": \n" {
		t.Errorf("%d %q", code, errOut.String())
	}
}

func TestATerminalThatIsInterruptedIsAsItWas(t *testing.T) {
	master, terminal := openTerminal(t)
	before, err := unix.IoctlGetTermios(int(master.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	silent := func() bool {
		now, err := unix.IoctlGetTermios(int(master.Fd()), unix.TCGETS)
		return err == nil && now.Lflag&unix.ECHO == 0
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for deadline := time.Now().Add(20 * time.Second); !silent() && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	file := configured(t, "server: http://127.0.0.1:1\nuser: onos\n", 0o600)
	code := Run(ctx, "1.2.3", []string{"get", "hosts", "--config", file}, Streams{Out: io.Discard, Err: io.Discard, Terminal: terminal})
	if now, err := unix.IoctlGetTermios(int(master.Fd()), unix.TCGETS); code != exitUsage || err != nil || *now != *before {
		t.Errorf("%d, %v: %+v was %+v", code, err, now, before)
	}
}

func openTerminal(t *testing.T) (master *os.File, name string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	return master, fmt.Sprintf("/dev/pts/%d", number)
}

func TestTheServersCertificateIsChecked(t *testing.T) {
	c := startController(t)
	secure := httptest.NewUnstartedServer(c)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	settings := "server: " + secure.URL + "\nuser: onos\npassword: rocks\n"
	if code, _, errOut := run(t, "", "get", "hosts", "--config", configured(t, settings, 0o600)); code != exitUnreachable ||
		!strings.Contains(errOut, "certificate") || len(c.requests()) > 0 {
		t.Errorf("%d %s %v", code, errOut, c.requests())
	}
	authority := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(authority, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errOut := run(t, "", "get", "hosts", "--config", configured(t, settings+"ca: "+authority+"\n", 0o600)); code != 0 {
		t.Errorf("%d %s", code, errOut)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was followed") }))
	defer elsewhere.Close()
	here := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer here.Close()
	file := configured(t, "server: "+here.URL+"/sluice/v1\nuser: onos\npassword: rocks\n", 0o600)
	if code, _, errOut := run(t, "", "get", "hosts", "--config", file); code != exitFailure || !strings.Contains(errOut, "307") {
		t.Errorf("%d %s", code, errOut)
	}
}

func TestATenantThatIsMissingIsCreated(t *testing.T) {
	c := startController(t)
	c.answers["GET /tenants/{id}"] = problem(404, "not-found", "There is no such tenant", "")
	c.answers["PUT /tenants/{id}"] = answer{status: 201, body: tenantOf(t, c)}
	code, out, errOut := c.run("set", "tenant", "gold", "--weight", "4", "--add-member", "h1/vm0",
		"--add-member", "namespace:shop+label:a/b:web=2", "--add-member", "vlan:100+bridge:br0")
	sent := c.requests()
	expected := `PUT /tenants/gold {"members":[{"host":"h1","interface":"vm0"},{"labels":{"a/b":"web"},"namespace":"shop","weight":2},{"bridge":"br0","vlan":100}],"weight":4}`
	if code != 0 || out != "tenant gold: created\n" || sent[len(sent)-1] != expected {
		t.Errorf("%d %q %s %v", code, out, errOut, sent)
	}
}

func tenantOf(t *testing.T, c *controller) string {
	t.Helper()
	text, err := json.Marshal(c.document.Paths.Value("/tenants/{id}").Put.Responses.Status(200).Value.Content["application/json"].Example)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatNeedsConfirmationSaysHow(t *testing.T) {
	c := startController(t)
	unconfirmed := problem(409, "unconfirmed", "h2/vm0 would lose 10.0.0.2", `, "remedy": "Send it with allowRefusedAddresses=true"`)
	for operation, line := range map[string]string{
		"PATCH /tenants/{id}":  "set tenant gold --add-member h2/vm0",
		"DELETE /tenants/{id}": "delete tenant gold",
		"PUT /tenants":         "apply -f testdata/tenants.yaml",
	} {
		c.answers[operation] = unconfirmed
		code, _, errOut := c.run(strings.Fields(line)...)
		if code != exitRefused || !strings.Contains(errOut, "h2/vm0 would lose 10.0.0.2") || !strings.Contains(errOut, "with sluicectl: --confirm") {
			t.Errorf("%s: %d %s", line, code, errOut)
		}
		delete(c.answers, operation)
		if code, _, errOut = c.run(append(strings.Fields(line), "--confirm")...); code != 0 {
			t.Errorf("%s: %d %s", line, code, errOut)
		}
		sent := c.requests()
		if !strings.Contains(sent[len(sent)-1], "allowRefusedAddresses=true") {
			t.Error(sent)
		}
	}
}

func TestWhoComesSecondIsRefused(t *testing.T) {
	c := startController(t)
	c.answers["DELETE /tenants/{id}"] = problem(412, "stale", "It is not what If-Match takes it to be", `, "remedy": "Read it again"`)
	code, _, errOut := c.run("delete", "tenant", "gold")
	if code != exitRefused || !strings.Contains(errOut, "give the command again") {
		t.Errorf("%d %s", code, errOut)
	}
}

func TestWhatCannotBeReadCanBeDeleted(t *testing.T) {
	c := startController(t)
	for operation, line := range map[string]string{"/tenants/{id}": "delete tenant gold", "/hosts/{id}": "delete host h1"} {
		c.answers["GET "+operation] = problem(404, "not-found", "There is no such thing", "")
		if code, _, errOut := c.run(strings.Fields(line)...); code != 0 {
			t.Errorf("%s: %d %s", line, code, errOut)
		}
		c.answers["DELETE "+operation] = c.answers["GET "+operation]
		if code, _, errOut := c.run(strings.Fields(line)...); code != exitRefused || !strings.Contains(errOut, "no such thing") {
			t.Errorf("%s: %d %s", line, code, errOut)
		}
	}
}

func TestWhatGetPrintsCanBeApplied(t *testing.T) {
	for _, line := range []string{"get tenants", "get tenant red", "get policies"} {
		for _, output := range []string{"yaml", "json"} {
			c := startController(t)
			_, printed, _ := c.run(append(strings.Fields(line), "-o", output)...)
			code, _, errOut := c.runWith(printed, "apply", "-f", "-")
			sent := c.requests()
			if code != 0 || !strings.HasPrefix(sent[len(sent)-1], "PUT ") {
				t.Errorf("%s -o %s: %d %s %v", line, output, code, errOut, sent)
			}
		}
	}
}

func TestApplyLeavesOtherTenantsAndPrunesThemIfConfigured(t *testing.T) {
	const gold = "id: gold\nweight: 2\n"
	c := startController(t)
	code, _, errOut := c.runWith(gold, "apply", "-f", "-")
	sent := c.requests()
	if last := sent[len(sent)-1]; code != 0 || !strings.Contains(last, `"id":"gold"`) || !strings.Contains(last, `"id":"default"`) || !strings.Contains(last, `"id":"red"`) {
		t.Errorf("%d %s %s", code, errOut, last)
	}
	if code, _, errOut = c.runWith(gold, "apply", "-f", "-", "--prune", "--dry-run"); code != 0 {
		t.Error(code, errOut)
	}
	sent = c.requests()
	if last := sent[len(sent)-1]; last != `PUT /tenants?dryRun=true {"tenants":[{"id":"gold","weight":2}]}` {
		t.Error(last)
	}
}

func TestDryRunNamesTheTenantsThatWouldBeRefused(t *testing.T) {
	c := startController(t)
	c.answers["PUT /tenants"] = answer{status: 200, body: `{"applied": false, "created": [], "changed": [], "removed": [], "unchanged": [],
		"refusals": [{"pointer": "/tenants/1/guaranteeBitsPerSecond", "value": "50000000", "detail": "Too much", "remedy": "Guarantee at most 45"}]}`}
	code, out, errOut := c.run("apply", "-f", "testdata/tenants.yaml", "--dry-run")
	if code != exitRefused || !strings.Contains(errOut, "Too much\n  field:  red: guaranteeBitsPerSecond\n  value:  50000000\n  remedy: Guarantee at most 45") {
		t.Errorf("%d %s %s", code, out, errOut)
	}
}

func TestDocumentsThatCannotBeAppliedAreNamed(t *testing.T) {
	c := startController(t)
	for text, says := range map[string]string{
		"":                                     "it is empty",
		"- 1":                                  "map",
		"weight: 2":                            "a tenant (id), tenants, policies",
		"tenants: gold":                        "give a list of tenants",
		"id: 7\nsizeBytes: 4":                  "create flow",
		"current: {set: null}":                 "delete policies",
		"id: 1e3":                              "its id as a text",
		"id: a\n---\nid: a":                    "each tenant once",
		"name: a\npolicies: []\n---\ngroups: ": "second set",
	} {
		if code, _, errOut := c.runWith(text, "apply", "-f", "-"); code != exitUsage || !strings.Contains(errOut, says) {
			t.Errorf("%q: %d %s", text, code, errOut)
		}
	}
	if code, _, errOut := c.runWith("name: a\npolicies: []", "apply", "-f", "-", "--prune"); code != exitUsage || !strings.Contains(errOut, "--prune") {
		t.Error(code, errOut)
	}
}

func TestATenantsUserSeesItsStatus(t *testing.T) {
	c := startController(t)
	for _, path := range []string{"/topology", "/hosts", "/ports", "/cluster", "/doctor"} {
		c.answers["GET "+path] = problem(403, "forbidden", "Not yours", "")
	}
	code, out, errOut := c.run("status")
	if code != 0 || strings.Contains(out, "hosts") || !strings.Contains(out, "endpoints  1, 1 held back") {
		t.Errorf("%d %s %s", code, out, errOut)
	}
}

func TestTheStatusNamesErrors(t *testing.T) {
	c := startController(t)
	c.answers["GET /doctor"] = answer{status: 200, body: `{"findings": [
		{"severity": "error", "about": "kubernetes", "what": "The API is away", "remedy": "r"},
		{"severity": "warning", "about": "host h1", "what": "w", "remedy": "r"}]}`}
	code, out, errOut := c.run("status")
	if code != exitFailure || !strings.Contains(out, "\nerror      kubernetes: The API is away\n") || strings.Contains(out, "host h1") {
		t.Errorf("%d %s %s", code, out, errOut)
	}
}

func TestANodeThatIsCutOffIsNamed(t *testing.T) {
	c := startController(t)
	c.answers["GET /tenants"] = answer{status: 200, body: `{"tenants": []}`, cutOff: "no majority"}
	code, _, errOut := c.run("get", "tenants")
	if code != 0 || strings.Count(errOut, "what it read last: no majority") != 1 {
		t.Errorf("%d %s", code, errOut)
	}
}

func TestNamesAreCompleted(t *testing.T) {
	c := startController(t)
	file := configured(t, "server: "+c.URL+"\nuser: onos\npassword: rocks\n", 0o600)
	code, out, errOut := run(t, "", "__complete", "--config", file, "delete", "tenant", "")
	if code != 0 || !strings.Contains(out, "default\nred\n") {
		t.Errorf("%d %s %s", code, out, errOut)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if code, out, _ := run(t, "", "completion", shell); code != 0 || !strings.Contains(out, "sluicectl") {
			t.Error(shell, code)
		}
	}
}

func TestWatchShowsChangesAndContinues(t *testing.T) {
	c := startController(t)
	endpoint := exampleRow(t, c, "/endpoints", "endpoints")
	changed := strings.Replace(endpoint, `"limitBitsPerSecond":50000000`, `"limitBitsPerSecond":25000000`, 1)
	if changed == endpoint {
		t.Fatal("the example has no limit of 50 Mbit/s")
	}
	journal := exampleRow(t, c, "/journal", "entries")
	var ids []string
	c.answers["GET /stream"] = answer{stream: func(w http.ResponseWriter, r *http.Request) {
		ids = append(ids, r.Header.Get("Last-Event-ID"))
		event := func(name, data, id string) {
			c.checkEvent(name, data)
			fmt.Fprintf(w, "event: %s\ndata: %s\nid: %s\n\n", name, data, id)
		}
		switch len(ids) {
		case 1:
			event("time", `{"at": "2026-03-01T12:00:00Z", "storeFault": null}`, "a.1")
			event("endpoints", `{"complete": true, "rows": [`+endpoint+`], "gone": []}`, "a.2")
			event("journal", `{"complete": true, "rows": [`+journal+`]}`, "a.3")
		case 2: // the stream ended, as each does after a time
			event("journal", `{"complete": true, "rows": [`+journal+`]}`, "a.3")
			event("endpoints", `{"complete": false, "rows": [`+changed+`], "gone": []}`, "a.4")
			event("endpoints", `{"complete": false, "rows": [], "gone": ["h1/vm0"]}`, "a.5")
		default:
			c.write(w, nil, problem(403, "forbidden", "Your role was taken away", ""))
		}
	}}
	code, out, errOut := c.run("watch", "endpoints", "journal")
	expected := "2026-03-01T12:00:00Z endpoints: 1\n" +
		"1970-01-01T00:00:04Z journal unit-share: decision 4 (evidence 4)\n" +
		"2026-03-01T12:00:00Z endpoint h1/vm0 limit: 50 Mbit/s -> 25 Mbit/s\n" +
		"2026-03-01T12:00:00Z endpoint h1/vm0 is gone\n"
	if code != exitRefused || out != expected || !strings.Contains(errOut, "taken away") || !slices.Equal(ids, []string{"", "a.3", "a.5"}) {
		t.Errorf("%d %q %s %q", code, out, errOut, ids)
	}
	ids = nil
	if _, out, _ = c.run("watch", "endpoints", "-o", "json"); strings.Count(out, "\n") != 3 || !json.Valid([]byte(strings.SplitN(out, "\n", 2)[0])) {
		t.Error(out)
	}
}

func TestWatchGoesOnWhereTheConnectionIsGone(t *testing.T) {
	c := startController(t)
	topology := exampleOf(t, c, "/topology")
	lost := strings.Replace(topology, `"available":true`, `"available":false`, 1)
	defer func(was time.Duration) { reconnectAfter = was }(reconnectAfter)
	reconnectAfter = time.Millisecond
	connections := 0
	c.answers["GET /stream"] = answer{stream: func(w http.ResponseWriter, r *http.Request) {
		connections++
		switch connections {
		case 1:
			fmt.Fprintf(w, "event: topology\ndata: %s\nid: a.1\n\n", topology)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case 2, 3:
			c.write(w, nil, problem(503, "unavailable", "Not active", ""))
		case 4:
			fmt.Fprintf(w, "event: topology\ndata: %s\nid: a.2\n\n", lost)
		default:
			c.write(w, nil, problem(403, "forbidden", "Your role was taken away", ""))
		}
	}}
	code, out, errOut := c.run("watch", "topology")
	if code != exitRefused || out != "topology: 6\ntopology switches of:0000000000000001 available: yes -> no\n" ||
		strings.Count(errOut, "trying again") != 1 || !strings.Contains(errOut, "broke off") {
		t.Errorf("%d %q %q", code, out, errOut)
	}
}

func exampleOf(t *testing.T, c *controller, path string) string {
	t.Helper()
	text, err := json.Marshal(c.document.Paths.Value(path).Get.Responses.Status(200).Value.Content["application/json"].Example)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func exampleRow(t *testing.T, c *controller, path, rows string) string {
	t.Helper()
	example := c.document.Paths.Value(path).Get.Responses.Status(200).Value.Content["application/json"].Example.(map[string]any)
	text, err := json.Marshal(example[rows].([]any)[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkEvent holds the test's own events to the document.
func (c *controller) checkEvent(name, data string) {
	schema := c.document.Components.Schemas[strings.ToUpper(name[:1])+name[1:]+"Event"].Value
	var value any
	if err := json.Unmarshal([]byte(data), &value); err != nil {
		c.t.Error(err)
	} else if err := c.document.ValidateSchemaJSON(schema, value); err != nil {
		c.t.Errorf("the test's own event %s: %v", name, err)
	}
}

func TestAServerThatDoesNotAnswerIsReported(t *testing.T) {
	released := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-released }))
	defer silent.Close()
	defer close(released)
	file := configured(t, "server: "+silent.URL+onosPath+"\nuser: onos\npassword: rocks\n", 0o600)
	code, _, errOut := run(t, "", "get", "hosts", "--config", file, "--timeout", (10 * time.Millisecond).String())
	if code != exitUnreachable || !strings.Contains(errOut, "within 10ms") {
		t.Errorf("%d %s", code, errOut)
	}
}
