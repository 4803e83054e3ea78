// SPDX-License-Identifier: Apache-2.0

// Package document converts what the REST interface and people write: JSON, YAML, numbers with units, differences.
package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// YAML writes JSON as YAML: the same fields in the same order.
func YAML(text []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	node, err := nodeOf(decoder)
	if err != nil {
		return nil, err
	}
	return yaml.Dump(node, yaml.WithV4Defaults())
}

func nodeOf(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	node := &yaml.Node{Kind: yaml.ScalarNode}
	switch value := token.(type) {
	case json.Delim:
		node.Kind = yaml.SequenceNode
		if value == '{' {
			node.Kind = yaml.MappingNode
		}
		for decoder.More() {
			content, err := nodeOf(decoder) // a field's name, too
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, content)
		}
		_, err = decoder.Token() // the end
	case string:
		err = node.Encode(value)
	case json.Number:
		node.Value = value.String()
	default:
		err = node.Encode(value)
	}
	return node, err
}

// Read reads all documents of a text of YAML or JSON, which is YAML.
func Read(from io.Reader) ([]map[string]any, error) {
	decoder := yaml.NewDecoder(from)
	var documents []map[string]any
	for {
		var document map[string]any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		if document != nil { // nothing between two lines of ---
			// Numbers as JSON has them, so that what was read and what was written compare.
			text, err := json.Marshal(document)
			if err == nil {
				document, err = Object(text)
			}
			if err != nil {
				return nil, fmt.Errorf("document %d: %w", len(documents)+1, err)
			}
			documents = append(documents, document)
		}
	}
}

// Object reads an object of JSON; its numbers are json.Number.
func Object(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	err := decoder.Decode(&object)
	return object, err
}
