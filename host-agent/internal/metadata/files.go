// SPDX-License-Identifier: Apache-2.0

package metadata

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	// maxFileBytes is more than any of them has.
	maxFileBytes = 1 << 20
	// maxFiles of a directory are read: an agent has fewer endpoints.
	maxFiles = 4096
)

// files are directories whose files each say something of interfaces. One is read again when it was written.
type files struct {
	directories []string
	parse       func(text []byte) (ByInterface, error)
	known       map[string]file
}

type file struct {
	written time.Time
	bytes   int64
	found   ByInterface
}

func newFiles(directories []string, parse func([]byte) (ByInterface, error)) files {
	return files{directories: directories, parse: parse}
}

// read looks at all of them. Of two that name an interface the one that was written later counts: an earlier one is of
// a workload that has gone.
func (f *files) read(warn func(string, ...any)) ByInterface {
	now := map[string]file{}
	for _, directory := range f.directories {
		entries, err := os.ReadDir(directory)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			warn("cannot read a directory", "directory", directory, "error", err.Error())
		}
		for _, entry := range entries[:min(len(entries), maxFiles)] {
			path := filepath.Join(directory, entry.Name())
			info, err := entry.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue // it has gone, or is none of theirs
			}
			one, is := f.known[path]
			if !is || !one.written.Equal(info.ModTime()) || one.bytes != info.Size() {
				one = file{info.ModTime(), info.Size(), f.readOne(path, info.Size(), warn)}
			}
			now[path] = one
		}
	}
	f.known = now
	inOrder := make([]file, 0, len(now))
	for _, one := range now {
		inOrder = append(inOrder, one)
	}
	slices.SortFunc(inOrder, func(a, b file) int { return a.written.Compare(b.written) })
	all := ByInterface{}
	for _, one := range inOrder {
		for name, metadata := range one.found {
			all[name] = metadata
		}
	}
	return all
}

func (f *files) readOne(path string, bytes int64, warn func(string, ...any)) ByInterface {
	if bytes > maxFileBytes {
		warn("a file is too long to be read", "file", model.Escaped(path))
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil // it has gone
	}
	found, err := f.parse(text)
	if err != nil {
		warn("cannot read a file", "file", model.Escaped(path), "error", err.Error())
	}
	return found
}

// readDomain reads libvirt's status of a running domain. Other files of its directory have another root.
func readDomain(text []byte) (ByInterface, error) {
	var status struct {
		XMLName xml.Name
		Domain  struct {
			Name       string `xml:"name"`
			Interfaces []struct {
				Source struct {
					Network string `xml:"network,attr"`
				} `xml:"source"`
				Target struct {
					Device string `xml:"dev,attr"`
				} `xml:"target"`
			} `xml:"devices>interface"`
		} `xml:"domain"`
	}
	if len(text) == 0 || text[0] != '<' {
		return nil, nil // a monitor's process number
	}
	if err := xml.Unmarshal(text, &status); err != nil {
		return nil, err
	}
	if status.XMLName.Local != "domstatus" {
		return nil, nil
	}
	found := ByInterface{}
	for _, one := range status.Domain.Interfaces {
		if one.Target.Device != "" {
			found[one.Target.Device] = model.Metadata{Domain: status.Domain.Name, Network: one.Source.Network}
		}
	}
	return found, nil
}

// readAttachment reads a cached result of CNI: of the interfaces that it made, those on the host have no sandbox.
func readAttachment(text []byte) (ByInterface, error) {
	var cached struct {
		Kind      string      `json:"kind"`
		Network   string      `json:"networkName"`
		Arguments [][2]string `json:"cniArgs"`
		Result    struct {
			Interfaces []struct {
				Name    string `json:"name"`
				Sandbox string `json:"sandbox"`
			} `json:"interfaces"`
		} `json:"result"`
	}
	if err := json.Unmarshal(text, &cached); err != nil {
		return nil, err
	}
	if cached.Kind != "cniCacheV1" {
		return nil, fmt.Errorf("kind %q is not cniCacheV1", model.Escaped(cached.Kind))
	}
	metadata := model.Metadata{Network: cached.Network}
	for _, argument := range cached.Arguments {
		switch argument[0] {
		case "K8S_POD_NAMESPACE":
			metadata.Namespace = argument[1]
		case "K8S_POD_NAME":
			metadata.Pod = argument[1]
		}
	}
	found := ByInterface{}
	for _, one := range cached.Result.Interfaces {
		if one.Sandbox == "" && one.Name != "" {
			found[one.Name] = metadata
		}
	}
	return found, nil
}
