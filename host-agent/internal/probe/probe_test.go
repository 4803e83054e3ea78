// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMissingFeaturesAreReportedWithCostAndRemedy(t *testing.T) {
	kept := checks
	defer func() { checks = kept }()
	checks = []check{
		{"there", "host", "a", "b", func() error { return nil }},
		{"gone", "host,port", "no limits", "modprobe it", func() error { return errors.New("ENOENT") }},
		{"luxury", "", "less exact", "a newer one", func() error { return errors.New("EINVAL") }},
	}
	results := Run()
	if results[0].Remedy != "" || !results[0].Present {
		t.Errorf("%+v, want it there and nothing to do", results[0])
	}
	if gone := results[1]; gone.Present || gone.Detail != "no limits (ENOENT)" || gone.Remedy != "modprobe it" {
		t.Errorf("%+v, want cost, cause and remedy", gone)
	}
	checks[1].try = func() error { return fmt.Errorf("load: %w", unix.EPERM) }
	if refused := Run()[1]; refused.Remedy != asRoot {
		t.Errorf("%+v, want privileges", refused)
	}
	err := Missing(results, "port")
	if err == nil || !strings.Contains(err.Error(), "modprobe it") || strings.Contains(err.Error(), "luxury") {
		t.Errorf("%v, want what a port cannot do without, and its remedy", err)
	}
}

func TestEveryFeatureHasACostAndARemedy(t *testing.T) {
	for _, c := range checks {
		if c.cost == "" || c.remedy == "" {
			t.Errorf("%s: cost %q, remedy %q", c.name, c.cost, c.remedy)
		}
	}
}
