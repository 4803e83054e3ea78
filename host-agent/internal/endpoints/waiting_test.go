// SPDX-License-Identifier: Apache-2.0

package endpoints

import (
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// A class waits once it has held packets for 10 ms, over shorter gaps, and until it has been empty for 10 ms.
func TestAClassWaitsOnceItHasHeldPacketsForLong(t *testing.T) {
	const millisecond = 1_000_000
	w := waiting{}
	for _, step := range []struct {
		at    int64
		holds bool
		want  bool
	}{
		{1000, false, false},
		{1001, true, false},
		{1010, true, false},
		{1011, true, true},
		{1020, false, true},
		{1020, true, true},
		{1021, false, true},
		{1029, false, true},
		{1030, false, false},
		{1031, true, false},
		{1040, false, false}, // a gap
		{1041, true, true},
		{1051, false, false},
		{1052, true, false},
		{1062, false, false}, // too long a gap: anew
		{1063, true, false},
		{1072, true, false},
		{1073, true, true},
	} {
		w.observe(step.holds, step.at*millisecond)
		if w.isConfirmed != step.want {
			t.Errorf("at %d ms: waits %v, want %v", step.at, w.isConfirmed, step.want)
		}
	}
}

func TestAPairWaitsWithItsClassWhileItSends(t *testing.T) {
	e := &Endpoint{table: &Table{enforcing: true}}
	for slot, waits := range map[int]bool{0: true, 2: true, 3: false} {
		e.classes.groups[slot] = &group{waiting: waiting{isConfirmed: waits}}
	}
	for _, c := range []struct {
		what  string
		group int
		since int64
		want  bool
	}{
		{"just sent", 2, 0, true},
		{"sent lately", 2, memberNanos - 1, true},
		{"sent long ago", 2, memberNanos, false},
		{"another class", 3, 0, false},
		{"no class", 1, 0, false},
		{"no port's class", 0, 0, false},
		{"beyond control", model.MaxGroups + 1, 0, false},
	} {
		if got := e.Waits(c.group, memberNanos, memberNanos-c.since); got != c.want {
			t.Errorf("%s: waits %v, want %v", c.what, got, c.want)
		}
	}
	e.table.enforcing = false
	if e.Waits(2, 0, 0) {
		t.Error("it waits although nothing is enforced")
	}
}
