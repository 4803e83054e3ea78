// SPDX-License-Identifier: Apache-2.0

package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

const millis = "Millis"

// units are those that the names of fields end with, and how they are written for people.
var units = []struct {
	suffix, unit string
	divisor      float64
}{
	{"BitsPerSecond", "Mbit/s", 1e6},
	{"Bytes", "bytes", 1},
	{"Packets", "packets", 1},
	{millis, "", 1}, // a duration has its unit itself
	{"Seconds", "s", 1},
	{"Percent", "%", 1},
}

// set are numbers that somebody chose: they are shown exactly.
var set = []string{"weight", "guaranteeBitsPerSecond", "ceilingBitsPerSecond", "receiveCeilingBitsPerSecond", "capacityBitsPerSecond", "uplinkCapacityBitsPerSecond"}

// digits are those of what was measured; more are noise.
const digits = 3

// Number is a field's number by what people typed; a rate exactly, as 4.1 times a million would not be 4100000.
func Number(field string, typed float64) json.Number {
	text := strconv.FormatFloat(typed, 'f', -1, 64)
	if _, unit, _ := unitOf(field); unit == "Mbit/s" {
		text += "e6"
	}
	return json.Number(text)
}

// unitOf splits the name of a field: "backlogBytes" into "backlog" and "bytes".
func unitOf(field string) (name, unit string, divisor float64) {
	for _, each := range units {
		if before, found := strings.CutSuffix(field, each.suffix); found && before != "" {
			return before, each.unit, each.divisor
		}
	}
	return field, "", 1
}

// Heading is the heading of a field's column: GUARANTEE Mbit/s.
func Heading(field string) string {
	name, unit, _ := unitOf(field)
	var heading strings.Builder
	for _, letter := range name {
		if unicode.IsUpper(letter) {
			heading.WriteByte(' ')
		}
		heading.WriteRune(unicode.ToUpper(letter))
	}
	return strings.TrimSpace(strings.ReplaceAll(heading.String(), "-", " ") + " " + unit)
}

// Value is a field's value as people read it in a column with its unit; - is none.
func Value(field string, value any) string {
	switch value := value.(type) {
	case nil:
		return "-"
	case bool:
		if value {
			return "yes"
		}
		return "no"
	case json.Number:
		return number(field, value)
	case []any:
		items := make([]string, len(value))
		for i, item := range value {
			items[i] = Value(field, item)
		}
		if len(items) == 0 {
			return "-"
		}
		return strings.Join(items, ", ")
	case map[string]any:
		return object(value)
	case string:
		if value == "" {
			return "-"
		}
		return value
	}
	return fmt.Sprint(value)
}

// WithUnit is a value as people read it in a sentence: 12.5 Mbit/s.
func WithUnit(field string, value any) string {
	text := Value(field, value)
	if _, unit, _ := unitOf(field); unit != "" && value != nil {
		text += " " + unit
	}
	return text
}

// metadataFields are what hosts know of interfaces and members are named by.
var metadataFields = []string{"domain", "namespace", "labels", "network", "vlan", "bridge"}

// metadata writes them as a member is typed: namespace:shop+label:app:web.
func metadata(of map[string]any) string {
	var words []string
	for _, field := range metadataFields {
		labels, are := of[field].(map[string]any)
		switch {
		case are:
			for _, key := range slices.Sorted(maps.Keys(labels)) {
				words = append(words, fmt.Sprintf("label:%s:%v", key, labels[key]))
			}
		case of[field] != nil:
			words = append(words, field+":"+Value(field, of[field]))
		}
	}
	return strings.Join(words, "+")
}

func number(field string, value json.Number) string {
	name, unit, divisor := unitOf(field)
	_, notWhole := value.Int64()
	parsed, err := value.Float64()
	counted := notWhole == nil && unit != "Mbit/s" && name+millis != field
	if err != nil || counted {
		return value.String()
	}
	if strings.HasSuffix(field, millis) {
		return time.Duration(rounded(parsed * float64(time.Millisecond))).String()
	}
	if parsed /= divisor; !slices.Contains(set, field) {
		parsed = rounded(parsed)
	}
	return strconv.FormatFloat(parsed, 'f', -1, 64)
}

func rounded(number float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(number, 'e', digits-1, 64), 64) // what was just written
	return short
}

// object writes what has a short form in that, and anything else by field.
func object(of map[string]any) string {
	text := func(field string) string { return Value(field, of[field]) }
	suffix := ""
	if of["weight"] != nil {
		suffix = "=" + text("weight")
	}
	switch {
	case of["ipPrefix"] != nil:
		return text("ipPrefix") + suffix
	case of["mac"] != nil:
		return text("mac") + suffix
	case of["host"] != nil && of["interface"] != nil:
		return text("host") + "/" + text("interface") + suffix
	case metadata(of) != "" && of["mac"] == nil && of["pod"] == nil:
		return metadata(of) + suffix
	case of["rateBitsPerSecond"] != nil && of["port"] != nil:
		return WithUnit("rateBitsPerSecond", of["rateBitsPerSecond"]) + " at " + text("port")
	case of["ip"] != nil && of["endpoint"] != nil:
		return text("ip") + " of " + text("endpoint")
	case of["scale"] != nil && of["port"] != nil:
		return text("scale") + " at " + text("port")
	case of["datapath"] != nil && of["number"] != nil:
		return text("datapath") + "/" + text("number")
	}
	var parts []string
	for _, field := range slices.Sorted(maps.Keys(of)) {
		if of[field] != nil {
			name, _, _ := unitOf(field)
			parts = append(parts, name+" "+WithUnit(field, of[field]))
		}
	}
	return strings.Join(parts, ", ")
}
