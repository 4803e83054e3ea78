// SPDX-License-Identifier: Apache-2.0

package document

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// value draws what JSON can have; what YAML of whatever version might take for something else is among its texts.
func value() *rapid.Generator[any] {
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"true", "yes", "on", "null", "~", "1e3", "012", "0x1f", "52:54:00:12:34:56",
		"2026-01-01T00:00:00Z", "- a", "a: b", "a #b", "|", "=", "<<", "", " ", "\n", "a\n", "\u2028", "😀"}))
	scalars := rapid.OneOf(rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.Float64Range(-1e300, 1e300).AsAny(), texts.AsAny())
	return rapid.OneOf(scalars, rapid.SliceOfN(scalars, 0, 3).AsAny(), rapid.MapOfN(texts, scalars, 0, 3).AsAny())
}

func TestYAMLKeepsWhatJSONHas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(map[string]any{"a": value().Draw(t, "value"), "b": rapid.SliceOfN(value(), 0, 3).Draw(t, "list")})
		if err != nil {
			t.Fatal(err)
		}
		written, err := YAML(text)
		if err != nil {
			t.Fatal(err)
		}
		read, err := Read(strings.NewReader(string(written)))
		if err != nil || len(read) != 1 {
			t.Fatalf("%v of\n%s", err, written)
		}
		before, err := Object(text)
		if err != nil {
			t.Fatal(err)
		}
		if lines := Differences(before, read[0], ""); len(lines) > 0 {
			t.Fatalf("%v of\n%s", lines, written)
		}
	})
}

func TestYAMLKeepsTheOrderAndQuotesAddresses(t *testing.T) {
	written, err := YAML([]byte(`{"z": 1, "a": {"mac": "52:54:00:12:34:56", "list": [], "large": 12345678901234567890}}`))
	expected := "z: 1\na:\n  mac: \"52:54:00:12:34:56\"\n  list: []\n  large: 12345678901234567890\n"
	if err != nil || string(written) != expected {
		t.Errorf("%v\n%s", err, written)
	}
}

func TestNumbersHaveFewDigitsAndUnits(t *testing.T) {
	for _, each := range []struct{ field, number, expected string }{
		{"deliveredBitsPerSecond", "12123456", "12.1 Mbit/s"},
		{"deliveredBitsPerSecond", "12345600000", "12300 Mbit/s"},
		{"deliveredBitsPerSecond", "123", "0.000123 Mbit/s"},
		{"deliveredBitsPerSecond", "0", "0 Mbit/s"},
		{"guaranteeBitsPerSecond", "2300001", "2.300001 Mbit/s"},
		{"promisedBitsPerSecond", "30000000", "30 Mbit/s"},
		{"dueInMillis", "7435249.916", "2h4m0s"},
		{"dueInMillis", "-300.9", "-301ms"},
		{"sizeBytes", "1234567", "1234567 bytes"},
		{"ceShare", "0.33333", "0.333"},
		{"sequence", "123456789", "123456789"},
		{"utilisationPercent", "50", "50 %"},
	} {
		if found := WithUnit(each.field, json.Number(each.number)); found != each.expected {
			t.Errorf("%s %s is shown as %s, not %s", each.field, each.number, found, each.expected)
		}
	}
}

func TestDifferences(t *testing.T) {
	object := func(text string) map[string]any {
		read, err := Object([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return read
	}
	before := object(`{"weight": 1, "guaranteeBitsPerSecond": 10000000, "limit": {"a": 1, "b": 2}, "members": [{"host": "h1", "interface": "vm0"}, {"ipPrefix": "10.1.0.0/16"}]}`)
	after := object(`{"weight": 1.0, "limit": {"a": 1, "b": 3}, "members": [{"ipPrefix": "10.1.0.0/16"}, {"mac": "02:00:00:00:01:01", "weight": 2}, {"namespace": "shop", "labels": {"b": "", "a": "web"}}, {"vlan": 100, "bridge": "br0", "weight": 2}]}`)
	expected := []string{"guarantee: 10 Mbit/s -> default", "limit.b: 2 -> 3", "members: - h1/vm0", "members: + 02:00:00:00:01:01=2",
		"members: + namespace:shop+label:a:web+label:b:", "members: + vlan:100+bridge:br0=2"}
	if found := Differences(before, after, "default"); !reflect.DeepEqual(found, expected) {
		t.Errorf("%q", found)
	}
}
