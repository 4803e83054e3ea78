// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"fmt"
	"slices"
	"testing"
)

const most = 1024

func TestAnOwnerOverItsQuotaReplacesItsOldestEntry(t *testing.T) {
	table := New[string, int, int](most)
	now := int64(0)
	add := func(owner string, key int) {
		now++
		*table.Add(owner, key, now, 0) = key
	}
	for key := range 100 {
		add("quiet", key)
	}
	for key := range 100 * most {
		add("flooder", key)
		if key > 0 && key%10 == 0 {
			table.Use("flooder", 0, now)
		}
		if table.Len() > most {
			t.Fatalf("%d entries, at most %d", table.Len(), most)
		}
	}
	for key := range 100 {
		if value := table.Find("quiet", key); value == nil || *value != key {
			t.Fatalf("key %d of the quiet one: %v", key, value)
		}
	}
	if table.Find("flooder", 0) == nil || table.Find("flooder", 1) != nil || table.Find("flooder", 100*most-1) == nil {
		t.Error("want what it uses and its newest kept, and its oldest gone")
	}
	if table.Evicted() == 0 {
		t.Error("nothing is counted")
	}
}

// Whoever comes later gets its part of what the first has taken.
func TestASecondOwnerGetsItsQuota(t *testing.T) {
	table := New[string, int, int](most)
	for key := range most {
		table.Add("first", key, int64(key), 0)
	}
	for key := range most / 2 {
		table.Add("second", key, int64(most+key), 0)
	}
	second := 0
	for key := range most / 2 {
		if table.Find("second", key) != nil {
			second++
		}
	}
	if second < most/2*3/4 || table.Len() > most {
		t.Errorf("%d of %d entries, %d in all", second, most/2, table.Len())
	}
}

func TestUnusedEntriesExpire(t *testing.T) {
	table := New[string, int, int](most)
	table.Add("a", 1, 10, 0)
	table.Add("a", 2, 20, 0)
	table.Forget(15)
	if table.Find("a", 1) != nil || table.Find("a", 2) == nil || table.Len() != 1 {
		t.Error("want only what is older forgotten")
	}
	table.Forget(30)
	if table.Len() != 0 || len(table.owners) != 0 {
		t.Error("an owner without entries stays")
	}
}

func TestUsingAllocatesNothing(t *testing.T) {
	table := New[string, int, int](most)
	table.Add("a", 1, 1, 0)
	if n := testing.AllocsPerRun(100, func() { table.Find("a", 1); table.Use("a", 1, 2) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRemovedEntriesArePassedToTheCallback(t *testing.T) {
	table := New[string, int, string](2)
	var removed []string
	table.Removed = func(owner string, key int, value *string) {
		removed = append(removed, fmt.Sprintf("%s%d%s", owner, key, *value))
	}
	table.Add("a", 1, 1, "x")
	table.Add("a", 2, 2, "y")
	table.Add("a", 3, 3, "z") // in place of the oldest
	table.Delete("a", 2)
	table.Delete("a", 2)
	table.Forget(4)
	if want := []string{"a1x", "a2y", "a3z"}; !slices.Equal(removed, want) {
		t.Errorf("%v, want %v", removed, want)
	}
}
