// SPDX-License-Identifier: Apache-2.0

package metadata

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

var recorded = Paths{Libvirt: []string{"testdata/libvirt/qemu", "testdata/none"}, CNI: []string{"testdata/cni/results"}}

var discarded = slog.New(slog.DiscardHandler)

// In the forms of libvirt's status files and of libcni's cache.
func TestWhatIsRecordedOfInterfaces(t *testing.T) {
	got := New(recorded, "", discarded).View()
	want := ByInterface{
		"vnet0":  {Domain: "web1", Network: "blue"},
		"vnet1":  {Domain: "web1"},
		"vethaa": {Network: "blue", Namespace: "shop", Pod: "web-0"},
		"br1":    {Network: "blue", Namespace: "shop", Pod: "web-0"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestLabelsAreThoseOfTheKubeletsPods(t *testing.T) {
	answer := http.StatusOK
	kubelet := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/pods" {
			t.Errorf("%s is asked for, want /pods", r.URL.Path)
		}
		w.WriteHeader(answer)
		http.ServeFile(w, r, "testdata/kubelet/pods.json")
	}))
	defer kubelet.Close()
	var logged bytes.Buffer
	w := New(recorded, kubelet.URL+"/pods", slog.New(slog.NewTextHandler(&logged, nil)))
	expect := func(when string) {
		t.Helper()
		w.readPods(context.Background())
		want := map[string]string{"app": "web", "app.kubernetes.io/name": "web"}
		if got := w.View()["vethaa"].Labels; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	expect("at first")
	answer = http.StatusForbidden
	expect("without an answer")
	if !strings.Contains(logged.String(), "readOnlyPort") {
		t.Errorf("%q, want what helps", logged.String())
	}
}

func TestChangesAreFollowed(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "vm.xml")
	at := time.Unix(1_700_000_000, 0)
	write := func(name, text string) {
		t.Helper()
		at = at.Add(time.Second)
		file := filepath.Join(directory, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	domain := func(name string) string {
		return "<domstatus><domain><name>" + name + "</name><devices><interface><target dev='vnet0'/></interface></devices></domain></domstatus>"
	}
	var logged bytes.Buffer
	w := New(Paths{Libvirt: []string{directory}}, "", slog.New(slog.NewTextHandler(&logged, nil)))
	expect := func(when, want string) {
		t.Helper()
		w.refresh()
		if got := w.View()["vnet0"].Domain; got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	expect("without a file", "")
	write("vm.xml", domain("a"))
	expect("written", "a")
	<-w.Changes()
	write("later.xml", domain("bb"))
	expect("of a later one", "bb")
	write("vm.xml", "<domstatus><domain>")
	write("later.xml", "<domstatus>")
	expect("cut off", "")
	write("vm.xml", domain("c, d"))
	expect("with a name that cannot be reported", "")
	if !strings.Contains(logged.String(), "rename it") {
		t.Errorf("%q, want what helps", logged.String())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expect("removed", "")
	if got := w.View(); len(got) != 0 {
		t.Errorf("%v of files that are gone", got)
	}
}

func TestNothingIsMadeOfOtherText(t *testing.T) {
	for _, text := range []string{"", "4711", "<networkstatus/>", `<domstatus/>`} {
		if found, err := readDomain([]byte(text)); err != nil || len(found) != 0 {
			t.Errorf("%q: %v, %v", text, found, err)
		}
	}
	for _, text := range []string{"", "{}", `{"kind":"other"}`, `{"kind":"cniCacheV1","cniArgs":[["a"]],"result":{"interfaces":"x"}}`} {
		if found, err := readAttachment([]byte(text)); err == nil || len(found) != 0 {
			t.Errorf("%q: %v, want an error", text, found)
		}
	}
}

func TestMetadataIsEqualByContents(t *testing.T) {
	one, other := model.Metadata{Bridge: "br0", Labels: map[string]string{"a": "b"}}, model.Metadata{Bridge: "br0", Labels: map[string]string{"a": "b"}}
	if !one.Equal(other) || one.Equal(model.Metadata{Bridge: "br0"}) || !(model.Metadata{}).Equal(model.Metadata{Labels: map[string]string{}}) {
		t.Error("equality is not of the contents")
	}
}
