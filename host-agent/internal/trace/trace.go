// SPDX-License-Identifier: Apache-2.0

// Package trace writes what measurements need to a file of JSON lines: when a mark was first seen
// (stamped by the BPF program) and when the class change that it led to had returned.
package trace

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Writer writes trace lines; a nil Writer writes nothing. For one goroutine.
type Writer struct {
	file *os.File
}

// Open appends to a file; an empty path gives a nil Writer.
func Open(path string) (*Writer, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("trace file: %w", err)
	}
	return &Writer{file: file}, nil
}

type firstCE struct {
	Nanos       int64  `json:"tNanos"`
	Event       string `json:"event"`
	Source      string `json:"source"`
	Destination string `json:"destination"`
}

type classChange struct {
	Nanos             int64      `json:"tNanos"`
	Event             string     `json:"event"`
	Interface         string     `json:"interface"`
	IPs               []string   `json:"ips"`
	Port              model.Port `json:"port"`
	RateBitsPerSecond uint64     `json:"rateBitsPerSecond"`
}

// FirstCE notes the first mark of a pair after 200 ms without any.
func (w *Writer) FirstCE(nanos int64, pair model.Pair) error {
	return w.write(firstCE{nanos, "first-ce", pair.Source.String(), pair.Destination.String()})
}

// ClassChange notes that the change of a group's limit is in force.
func (w *Writer) ClassChange(nanos int64, endpoint model.Endpoint, port model.Port, bitsPerSecond uint64) error {
	if w == nil {
		return nil
	}
	ips := make([]string, len(endpoint.IPs))
	for i, ip := range endpoint.IPs {
		ips[i] = ip.String()
	}
	return w.write(classChange{nanos, "class-change", endpoint.Interface, ips, port, bitsPerSecond})
}

func (w *Writer) write(line any) error {
	if w == nil {
		return nil
	}
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = w.file.Write(append(text, '\n'))
	return err
}

// Close closes the file.
func (w *Writer) Close() error {
	if w == nil {
		return nil
	}
	return w.file.Close()
}
