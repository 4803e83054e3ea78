// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v4"
)

// read reads a file once: it may be a pipe.
func read(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return text, nil
}

// decode decodes a file's text strictly into value, which holds the defaults.
func decode(file string, text []byte, value any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	err := decoder.Decode(value)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: is empty: write a configuration, as in agent.yaml.example", file)
	}
	if err != nil {
		return explained(file, text, err)
	}
	var second yaml.Node
	if err := decoder.Decode(&second); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		return explained(file, text, err)
	}
	return fmt.Errorf("%s: line %d: a second document begins here: remove it, a configuration is one", file, second.Line)
}

// root is what a text has at its top; nil where it is no YAML.
func root(text []byte) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil || len(document.Content) == 0 {
		return nil
	}
	return document.Content[0]
}

func hasKey(text []byte, key string) bool {
	found := false
	eachChild(root(text), "", func(name string, _, _ *yaml.Node) { found = found || name == key })
	return found
}

// eachChild calls with the path of each child of a node that is at path; key is nil in a list.
func eachChild(node *yaml.Node, path string, call func(path string, key, value *yaml.Node)) {
	switch {
	case node == nil:
	case node.Kind == yaml.SequenceNode:
		for i, item := range node.Content {
			call(fmt.Sprintf("%s[%d]", path, i), nil, item)
		}
	case node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			call(strings.TrimPrefix(path+"."+node.Content[i].Value, "."), node.Content[i], node.Content[i+1])
		}
	}
}

// find returns the path of what is written at a place, and the value there; false: nothing is.
func find(node *yaml.Node, path string, at yaml.Mark) (name string, value *yaml.Node, found bool) {
	isThere := func(n *yaml.Node) bool { return n != nil && n.Line == at.Line && n.Column == at.Column }
	if isThere(node) {
		return path, node, true
	}
	eachChild(node, path, func(inner string, key, child *yaml.Node) {
		switch {
		case found:
		case isThere(key):
			name, value, found = inner, child, true
		default:
			name, value, found = find(child, inner, at)
		}
	})
	return name, value, found
}

// explained turns the decoder's messages, which are about the program's types, into messages about the file.
func explained(file string, text []byte, err error) error {
	var several *yaml.LoadErrors
	if !errors.As(err, &several) {
		return fmt.Errorf("%s: is no valid YAML: %w", file, err)
	}
	top := root(text)
	refusals := make([]error, len(several.Errors))
	for i, one := range several.Errors {
		refusal := &FieldError{File: file, Line: one.Mark.Line, Field: "configuration", Remedy: remedy(one.Message)}
		if path, value, found := find(top, "", one.Mark); found {
			refusal.Value = written(value)
			if path != "" {
				refusal.Field = path
			}
		}
		refusals[i] = refusal
	}
	return errors.Join(refusals...)
}

func written(value *yaml.Node) string {
	switch value.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	}
	return value.Value
}

const prefixRemedy = "must be a prefix, for example 10.0.0.0/8"

// remedies are by the type of a field that is neither a list nor a section, as the decoder names it.
var remedies = map[string]string{
	"float64": "must be a number, for example 100",
	"int":     "must be a whole number, for example 100",
	"int64":   "must be a whole number, for example 100",
	"bool":    "must be true or false",
	"string":  "must be text",

	"config.Switch (TextUnmarshaler)": errSwitch.Error(),
	"netip.Prefix (TextUnmarshaler)":  prefixRemedy,
}

func remedy(message string) string {
	switch {
	case strings.HasPrefix(message, "field "):
		return "is unknown: remove it or correct its spelling"
	case strings.HasPrefix(message, "mapping key "):
		return "is written twice: remove one, the first is at " + message[strings.LastIndex(message, "line "):]
	case strings.HasPrefix(message, "netip.ParsePrefix"):
		return prefixRemedy
	}
	// The last one: what the file has may be part of the message.
	into := strings.LastIndex(message, " into ")
	if into < 0 {
		return message
	}
	kind := message[into+len(" into "):]
	if words, known := remedies[kind]; known {
		return words
	}
	if strings.HasPrefix(kind, "[]") {
		return "must be a list, for example [a, b]"
	}
	return "must be keys with values, for example {a: b}"
}
