// SPDX-License-Identifier: Apache-2.0

// Command schema reads a dashboard as Grafana's schema has it: with no field that is unknown, missing or of another
// type, and no value out of its range. It exits with 1 and what is wrong otherwise.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: schema DASHBOARD.json")
		os.Exit(2)
	}
	if err := check(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

func check(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	plugins.RegisterDefaultPlugins() // options of panels and targets are those of their plug-ins
	var read dashboard.Dashboard
	var mistakes cog.BuildErrors
	// An empty list of mistakes is an error that is not nil.
	if err := read.UnmarshalJSONStrict(text); err != nil && (!errors.As(err, &mistakes) || len(mistakes) > 0) {
		return err
	}
	return read.Validate()
}
