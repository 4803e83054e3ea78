// SPDX-License-Identifier: Apache-2.0

package model

import (
	"strconv"
	"strings"
)

// IsVisible reports whether a name is made of visible ASCII characters, which is what controllers take and show.
func IsVisible(name string) bool {
	return !strings.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c > '~' })
}

// Escaped is a text from outside, of whatever bytes, as messages and terminals can have it: unchanged if it is
// visible, else with escapes as in a Go string literal.
func Escaped(text string) string {
	if IsVisible(text) {
		return text
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}
