// SPDX-License-Identifier: Apache-2.0

// Package metadata reads what a host knows of virtual NICs' owners: the libvirt domain and network from the status files
// of libvirt, the pod from the result cache of CNI, its labels from the kubelet's read-only view. It needs no library
// and no credential, and where there is none of them it finds nothing.
package metadata

import (
	"context"
	"log/slog"
	"maps"
	"regexp"
	"sync"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// ByInterface is what is known, by the host's side of the virtual NIC.
type ByInterface map[string]model.Metadata

// Paths are where others write what is read.
type Paths struct {
	// Libvirt are directories with a status file of each running domain.
	Libvirt []string
	// CNI are directories with the cached result of each attachment.
	CNI []string
}

// Usual are libvirt's and CNI's own defaults, and Multus's.
var Usual = Paths{
	Libvirt: []string{"/run/libvirt/qemu", "/run/libvirt/lxc"},
	CNI:     []string{"/var/lib/cni/results", "/var/lib/cni/multus/results"},
}

const (
	// filesPause is between two looks at the files: nobody notifies of all of them.
	filesPause = time.Second
	// podsPause is between two readings of the kubelet's pods, whose answer is long.
	podsPause = 5 * time.Second
)

// Watcher follows what is known.
type Watcher struct {
	domains, attachments files
	pods                 *pods // nil: labels are not read
	log                  *slog.Logger
	changes              chan struct{}
	warned               map[string]bool

	mutex  sync.Mutex
	view   ByInterface
	labels map[pod]map[string]string
}

// New makes a watcher that has read the files once. An empty podsURL: no labels.
func New(paths Paths, podsURL string, log *slog.Logger) *Watcher {
	w := &Watcher{
		domains: newFiles(paths.Libvirt, readDomain), attachments: newFiles(paths.CNI, readAttachment),
		log: log, changes: make(chan struct{}, 1), warned: map[string]bool{},
	}
	if podsURL != "" {
		w.pods = &pods{url: podsURL}
	}
	w.refresh()
	return w
}

// Changes receives whenever the view may have changed since the last receipt.
func (w *Watcher) Changes() <-chan struct{} { return w.changes }

// View is what is known now, for reading.
func (w *Watcher) View() ByInterface {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.view
}

// Labels are a pod's, as they were read last.
func (w *Watcher) Labels(namespace, name string) map[string]string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.labels[pod{namespace, name}]
}

// Run follows until ctx ends.
func (w *Watcher) Run(ctx context.Context) {
	files := time.NewTicker(filesPause)
	defer files.Stop()
	var due <-chan time.Time
	if w.pods != nil {
		w.readPods(ctx)
		ticker := time.NewTicker(podsPause)
		defer ticker.Stop()
		due = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-files.C:
		case <-due:
			w.readPods(ctx)
		}
		w.refresh()
	}
}

// readPods keeps the labels that were read last where the kubelet does not answer.
func (w *Watcher) readPods(ctx context.Context) {
	if err := w.pods.read(ctx); err != nil {
		w.warn("cannot read pods' labels", "url", w.pods.url, "error", err.Error())
	}
	w.refresh()
}

// refresh looks at the files and puts the parts together.
func (w *Watcher) refresh() {
	found := ByInterface{}
	for _, known := range []ByInterface{w.domains.read(w.warn), w.attachments.read(w.warn)} {
		for name, metadata := range known {
			found[name] = w.checked(name, metadata)
		}
	}
	if w.pods != nil {
		for name, metadata := range found {
			metadata.Labels = w.pods.labels[pod{metadata.Namespace, metadata.Pod}]
			found[name] = metadata
		}
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	labels := w.labels
	if w.pods != nil {
		labels = w.pods.labels
	}
	if !maps.EqualFunc(found, w.view, model.Metadata.Equal) || !maps.EqualFunc(labels, w.labels, maps.Equal) {
		w.view, w.labels = found, labels
		select {
		case w.changes <- struct{}{}:
		default:
		}
	}
}

// Controllers take these as names of domains, networks and pods, and these as a namespace.
var (
	nameForm      = regexp.MustCompile(`^[!-*\-.-<>-~]{1,253}$`)
	namespaceForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
)

// HasForm reports whether controllers take a pod's names.
func HasForm(namespace, name string) bool {
	return namespaceForm.MatchString(namespace) && nameForm.MatchString(name)
}

// checked leaves out what controllers could not read.
func (w *Watcher) checked(networkInterface string, m model.Metadata) model.Metadata {
	for _, field := range []struct {
		what string
		text *string
		form *regexp.Regexp
	}{
		{"libvirt domain", &m.Domain, nameForm}, {"network", &m.Network, nameForm}, {"pod", &m.Pod, nameForm},
		{"namespace", &m.Namespace, namespaceForm},
	} {
		if *field.text != "" && !field.form.MatchString(*field.text) {
			w.warn("a name that no tenant can have as a member: rename it, visible ASCII characters but , = and +",
				"interface", networkInterface, "of", field.what, "name", model.Escaped(*field.text))
			*field.text = ""
		}
	}
	return m
}

// warn logs a line once.
func (w *Watcher) warn(what string, about ...any) {
	key := what
	for _, word := range about {
		key += " " + word.(string)
	}
	if !w.warned[key] {
		w.warned[key] = true
		w.log.Warn(what, about...)
	}
}
