// SPDX-License-Identifier: Apache-2.0

package model

import (
	"testing"
	"testing/quick"
	"unicode/utf8"
)

func TestEscapedTextIsValidAndUnchangedWhereItWasVisible(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`tap"1\`, `tap"1\`}, {"tap\xff", `tap\xff`}, {"tapä", "tapä"}, {"tap\x1b[2J", `tap\x1b[2J`}, {"", ""},
	} {
		if got := Escaped(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if err := quick.Check(func(bytes []byte) bool { return utf8.ValidString(Escaped(string(bytes))) }, nil); err != nil {
		t.Error(err)
	}
}
