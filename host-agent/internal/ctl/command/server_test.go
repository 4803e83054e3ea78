// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

const (
	documentFile = "../../../../app/rest/src/main/resources/org/sluice/rest/openapi.json"
	onosPath     = "/onos/sluice/v1"
	seenTag      = `"seen"`
)

var loadDocument = sync.OnceValues(func() (*openapi3.T, error) {
	document, err := openapi3.NewLoader().LoadFromFile(documentFile)
	if err == nil {
		// It names its server relative to itself; here it is ONOS's.
		document.Servers = openapi3.Servers{{URL: onosPath}}
	}
	return document, err
})

var newRouter = sync.OnceValues(func() (routers.Router, error) {
	document, err := loadDocument()
	if err != nil {
		return nil, err
	}
	return legacy.NewRouter(document)
})

// controller is a server that holds requests and its own responses to the project's OpenAPI document. It answers with the
// document's examples, but where a test has another answer.
type controller struct {
	*httptest.Server
	t        *testing.T
	document *openapi3.T
	router   routers.Router
	// answers by "METHOD /path" as the document has it.
	answers map[string]answer
	mutex   sync.Mutex
	// received are requests in order: "PUT /tenants?dryRun=true {...}".
	received []string
	reached  map[string]bool
}

type answer struct {
	status int
	body   string
	cutOff string
	stream func(http.ResponseWriter, *http.Request)
}

func startController(t *testing.T) *controller {
	t.Helper()
	document, err := loadDocument()
	if err != nil {
		t.Fatal(err)
	}
	router, err := newRouter()
	if err != nil {
		t.Fatal(err)
	}
	c := &controller{t: t, document: document, router: router, answers: map[string]answer{}, reached: map[string]bool{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *controller) requests() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.received
}

func (c *controller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, onosPath+"/") {
		http.NotFound(w, r)
		return
	}
	if user, password, _ := r.BasicAuth(); user != "onos" || password != "rocks" {
		c.write(w, nil, answer{status: http.StatusUnauthorized, body: `{"type": "urn:sluice:problem:unauthorized", "title": "Unauthorized",
			"status": 401, "detail": "The request names no user of the controller", "remedy": "Authenticate"}`})
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	route, parameters, err := c.router.FindRoute(r)
	if err != nil {
		c.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		http.NotFound(w, r)
		return
	}
	input := &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true}}
	if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil {
		c.t.Errorf("%s %s %s is not what the document allows: %v", r.Method, r.URL, body, err)
	}
	c.checkNames(r, route)
	operation := r.Method + " " + route.Path
	c.mutex.Lock()
	c.received = append(c.received, strings.TrimSpace(r.Method+" "+strings.TrimPrefix(r.URL.RequestURI(), onosPath)+" "+string(body)))
	c.reached[operation] = true
	c.mutex.Unlock()
	if !has(route, "If-Match") && r.Header.Get("If-Match") != "" {
		c.t.Errorf("%s takes no If-Match", operation)
	}
	seen := c.answers["GET "+route.Path].status != http.StatusNotFound
	if seen && has(route, "If-Match") && r.Header.Get("If-None-Match") != "*" && r.Header.Get("If-Match") != seenTag {
		c.t.Errorf("%s has If-Match %q, not what was seen", operation, r.Header.Get("If-Match"))
	}
	given, ok := c.answers[operation]
	if !ok {
		given = c.example(route)
	}
	if given.stream != nil {
		w.Header().Set("Content-Type", "text/event-stream")
		given.stream(w, r)
		return
	}
	c.write(w, input, given)
}

// checkNames finds parameters that the operation does not take.
func (c *controller) checkNames(r *http.Request, route *routers.Route) {
	for name := range r.URL.Query() {
		if !has(route, name) {
			c.t.Errorf("%s %s has no parameter %q", r.Method, route.Path, name)
		}
	}
	if r.Method != http.MethodGet && r.Header.Get("X-Requested-With") == "" {
		c.t.Errorf("%s %s lacks X-Requested-With", r.Method, route.Path)
	}
}

func has(route *routers.Route, name string) bool {
	for _, parameter := range route.Operation.Parameters {
		if parameter.Value.Name == name {
			return true
		}
	}
	return false
}

// example is the document's answer of success.
func (c *controller) example(route *routers.Route) answer {
	for _, status := range []int{200, 201, 204} {
		response := route.Operation.Responses.Status(status)
		if response == nil {
			continue
		}
		media := response.Value.Content.Get("application/json")
		if media == nil {
			return answer{status: status}
		}
		text, err := json.Marshal(media.Example)
		if err != nil || media.Example == nil {
			c.t.Errorf("%s has no example: %v", route.Path, err)
		}
		return answer{status: status, body: string(text)}
	}
	c.t.Errorf("%s has no success", route.Path)
	return answer{status: 500}
}

// write holds the answer to the document, too.
func (c *controller) write(w http.ResponseWriter, input *openapi3filter.RequestValidationInput, given answer) {
	header := w.Header()
	if given.body != "" {
		header.Set("Content-Type", "application/json")
		if given.status >= 400 {
			header.Set("Content-Type", "application/problem+json")
		}
	}
	if input != nil {
		if response := input.Route.Operation.Responses.Status(given.status); response != nil && response.Value.Headers["ETag"] != nil {
			header.Set("ETag", seenTag)
		}
	}
	header.Set("WWW-Authenticate", `Basic realm="karaf"`)
	if input != nil {
		err := openapi3filter.ValidateResponse(c.t.Context(), &openapi3filter.ResponseValidationInput{RequestValidationInput: input,
			Status: given.status, Header: header, Body: io.NopCloser(strings.NewReader(given.body)),
			Options: &openapi3filter.Options{IncludeResponseStatus: true}})
		if err != nil {
			c.t.Errorf("the test's own answer to %s %s: %v", input.Request.Method, input.Route.Path, err)
		}
	}
	if given.cutOff != "" {
		w.Header().Set("Sluice-Cut-Off", given.cutOff)
	}
	w.WriteHeader(given.status)
	_, _ = io.WriteString(w, given.body)
}

// configured writes a configuration file for a server; its path goes to --config.
func configured(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sluicectl.yaml")
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return file
}

// run carries out a command line with the controller's user.
func (c *controller) run(arguments ...string) (code int, out, errOut string) {
	c.t.Helper()
	return c.runWith("", arguments...)
}

func (c *controller) runWith(in string, arguments ...string) (code int, out, errOut string) {
	c.t.Helper()
	file := configured(c.t, "server: "+c.URL+"\nuser: onos\npassword: rocks\n", 0o600)
	return run(c.t, in, append(arguments, "--config", file)...)
}

func run(t *testing.T, in string, arguments ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(t.Context(), "1.2.3", arguments, Streams{In: strings.NewReader(in), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}
