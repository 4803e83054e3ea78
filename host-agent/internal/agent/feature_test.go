// SPDX-License-Identifier: Apache-2.0
package agent

import (
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/config"
	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
	"github.com/sluice-sdn/sluice/host-agent/internal/probe"
)

func TestAnUnusedFeatureIsNotReportedAsMissing(t *testing.T) {
	t.Parallel()
	plain := config.Host{}
	controls := config.Host{CongestionControls: []string{"sluice_dctcp"}}
	chosen := config.Host{CongestionCgroups: []choice.Cgroup{{}}}
	hinted := config.Host{TCPHints: &config.TCPHints{Cgroups: []string{"web"}}}
	for _, c := range []struct {
		name     string
		feature  string
		settings config.Host
		used     bool
	}{
		{"controls, none loaded", probe.CongestionControls, plain, false},
		{"controls, one loaded", probe.CongestionControls, controls, true},
		{"cgroups, none", probe.CgroupHints, plain, false},
		{"cgroups, hints for the host alone", probe.CgroupHints, config.Host{TCPHints: &config.TCPHints{Host: true}}, false},
		{"cgroups, hinted", probe.CgroupHints, hinted, true},
		{"cgroups, a control chosen", probe.CgroupHints, chosen, true},
		{"of every host", "tcx", plain, true},
	} {
		if used := isUsed(c.feature, c.settings); used != c.used {
			t.Errorf("%s: used %t, expected %t", c.name, used, c.used)
		}
	}
}
