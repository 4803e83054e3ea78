// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// goWords are words of the program that no message is to have.
var goWords = regexp.MustCompile(`\b(u?int|float)\d*\b|\bbool\b|\bEOF\b|config\.|choice\.|netip|interface \{|\[\]|map\[|Unmarshaler|!!|cannot construct`)

func TestValuesOfAWrongKindAreNamedInTheFilesWords(t *testing.T) {
	tried := 0
	for role, structure := range map[string]reflect.Type{"host": reflect.TypeFor[Host](), "port": reflect.TypeFor[Port]()} {
		for _, key := range keysOf(structure, "") {
			for _, wrong := range []string{"{a: {b: c}}", "[[x]]", "text", "[7]", "[{use: {a: b}}]", "[{destinations: [x]}]", "1.5", "true"} {
				text := "port: of:0000000000000001/5\n"
				if role == "host" {
					text = ""
				}
				indent := ""
				parts := strings.Split(key, ".")
				for _, section := range parts[:len(parts)-1] {
					text += indent + section + ":\n"
					indent += "  "
				}
				path := write(t, text+indent+parts[len(parts)-1]+": "+wrong+"\n")
				_, err := LoadCommon(path)
				if err == nil {
					t.Fatalf("%s: %s: accepted as a whole configuration", key, wrong)
				}
				tried++
				if found := goWords.FindString(strings.ReplaceAll(err.Error(), path, "")); found != "" {
					t.Errorf("%s: %s: the message has %q:\n%v", key, wrong, found, err)
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d values were tried", tried)
	}
}

func TestDecodingNamesFieldLineAndRemedy(t *testing.T) {
	for text, words := range map[string][]string{
		"host: h1\nuplink:\n  capacityMbps: fast\n":                {"line 3", "uplink.capacityMbps", `"fast"`, "must be a number"},
		"host: h1\nleaseMillis: 1.5\n":                             {"line 2", "leaseMillis", `"1.5"`, "must be a whole number"},
		"antiSpoof: 7\n":                                           {"antiSpoof", "must be true or false"},
		"enforcement: maybe\n":                                     {"enforcement", `"maybe"`, "must be on or off"},
		"enforcement: [on]\n":                                      {"enforcement", "must be on or off"},
		"controllers: a:1\n":                                       {"controllers", "must be a list"},
		"uplink: up0\n":                                            {"uplink", `"up0"`, "must be keys with values"},
		"endpoints:\n  static:\n    - {interface: [a]}\n":          {"line 3", "endpoints.static[0].interface", "must be text"},
		"congestionRoutes: [{use: a, destinations: [10.0.0.0]}]\n": {"congestionRoutes[0].destinations[0]", `"10.0.0.0"`, "must be a prefix"},
		"host: a\nhost: b\n":                                       {"line 2", "host", "is written twice", "line 1"},
		"uplink: {speed: 5}\n":                                     {"line 1", "uplink.speed", "is unknown"},
		"uplink: {a into b: 5, x not found in type y: 6}\n":        {"uplink.a into b", "uplink.x not found in type y", "is unknown"},
		"[1]\n":                 {"line 1", "must be keys with values"},
		"port: [a]\nspeed: 4\n": {"port", "must be text", "speed", "is unknown"},
		"host: \"h1\n":          {"is no valid YAML"},
	} {
		path := write(t, text)
		_, err := LoadCommon(path)
		for _, word := range append(words, path) {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("%q: %v, want %q", text, err, word)
			}
		}
	}
}

func TestAFileIsOneDocument(t *testing.T) {
	for _, sample := range []string{hostFile, portFile} {
		text, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(string(text), "\n")
		for more, line := range map[string]int{"---\nnoSuchKey: 1\n": 1, "---\nhost: h2\n": 1, "---\n": 1, "...\nnoSuchKey: 1\n": 2} {
			path := write(t, string(text)+more)
			_, err := LoadCommon(path)
			if err == nil || !strings.Contains(err.Error(), "second document") || !strings.Contains(err.Error(), fmt.Sprintf("line %d:", lines+line)) {
				t.Errorf("%s and %q: %v, want the second document and its line", sample, more, err)
			}
		}
		if _, err := LoadCommon(write(t, "---\n"+string(text)+"...\n# the end\n")); err != nil {
			t.Errorf("%s: %v: one document may be marked as such", sample, err)
		}
		if _, err := LoadCommon(write(t, string(text)+"---\n\tbroken")); err == nil {
			t.Errorf("%s: what is behind the document is not read", sample)
		}
	}
}

func TestAnEmptyFileIsNamedAsSuch(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing yet\n"} {
		for name, load := range map[string]func(string) error{
			"host": func(file string) error { _, err := LoadHost(file); return err },
			"port": func(file string) error { _, err := LoadPort(file); return err },
			"any":  func(file string) error { _, err := LoadCommon(file); return err },
		} {
			path := write(t, text)
			err := load(path)
			if err == nil || !strings.Contains(err.Error(), "is empty") || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %q: %v", name, text, err)
			}
		}
	}
}

func TestAFileThatCanBeReadOnceIsEnough(t *testing.T) {
	for _, sample := range []string{hostFile, portFile} {
		text, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		read, written, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		if _, err := written.Write(text); err != nil {
			t.Fatal(err)
		}
		written.Close()
		path := fmt.Sprintf("/proc/self/fd/%d", read.Fd())
		if _, err := LoadCommon(path); err != nil {
			t.Errorf("%s from a pipe: %v", sample, err)
		}
	}
}
