// SPDX-License-Identifier: Apache-2.0

package document

import (
	"encoding/json"
	"maps"
	"slices"
)

// Differences lists what is another in after, a line for each: "weight: 1 -> 2", "members: + h1/vm0". What only before
// has is shown as what it becomes without: absent; nothing becomes nothing. Where there was nothing before, the lines are what there is.
func Differences(before, after map[string]any, absent string) []string {
	fields := map[string]any{}
	maps.Copy(fields, before)
	maps.Copy(fields, after)
	var lines []string
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		lines = append(lines, difference(field, before, after, absent)...)
	}
	return lines
}

func difference(field string, before, after map[string]any, absent string) []string {
	was, is := before[field], after[field]
	name, _, _ := unitOf(field)
	if before == nil {
		return []string{name + ": " + WithUnit(field, is)}
	}
	if encoded(was) == encoded(is) {
		return nil
	}
	if was, ok := was.(map[string]any); ok {
		if is, ok := is.(map[string]any); ok {
			return prefixed(field+".", Differences(was, is, absent))
		}
	}
	if _, given := after[field]; given || absent == "" {
		wasItems, wasList := was.([]any)
		isItems, isList := is.([]any)
		if wasList && isList {
			return prefixed(field+": ", append(missing("- ", field, wasItems, isItems), missing("+ ", field, isItems, wasItems)...))
		}
		return []string{name + ": " + WithUnit(field, was) + " -> " + WithUnit(field, is)}
	}
	if nothing := Value(field, was); nothing == "0" || nothing == "-" {
		return nil
	}
	return []string{name + ": " + WithUnit(field, was) + " -> " + absent}
}

// missing are those items of from that are not among others; their order does not count.
func missing(sign, field string, from, others []any) []string {
	known := map[string]bool{}
	for _, other := range others {
		known[encoded(other)] = true
	}
	var lines []string
	for _, item := range from {
		if !known[encoded(item)] {
			lines = append(lines, sign+Value(field, item))
		}
	}
	return lines
}

func prefixed(prefix string, lines []string) []string {
	for i := range lines {
		lines[i] = prefix + lines[i]
	}
	return lines
}

// encoded compares as JSON does, but 2.0 is 2.
func encoded(value any) string {
	if number, ok := value.(json.Number); ok {
		if float, err := number.Float64(); err == nil {
			value = float
		}
	}
	switch nested := value.(type) {
	case []any:
		items := make([]string, len(nested))
		for i, item := range nested {
			items[i] = encoded(item)
		}
		value = items
	case map[string]any:
		fields := map[string]string{}
		for field, item := range nested {
			if item != nil {
				fields[field] = encoded(item)
			}
		}
		value = fields
	}
	text, _ := json.Marshal(value) // of what was JSON
	return string(text)
}
