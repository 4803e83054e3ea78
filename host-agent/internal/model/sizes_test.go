// SPDX-License-Identifier: Apache-2.0

package model

import "testing"

func TestASizeIsAtMostAQuarterTooLarge(t *testing.T) {
	sizes := []uint64{0, 1, 2, 3, 4}
	for bytes := uint64(5); bytes < 7<<38; bytes += bytes/7 + 1 {
		sizes = append(sizes, bytes, 1<<(bytes%40), 1<<(bytes%40)-1)
	}
	for _, bytes := range sizes {
		var counts FlowSizeCounts
		counts.Add(bytes)
		for bin, count := range counts {
			if estimate := counts.LargestOf(bin); count == 1 && (estimate < bytes || 4*(estimate-bytes) > bytes) {
				t.Fatalf("%d bytes are counted as %d", bytes, estimate)
			}
		}
	}
}

func TestCountsAddUp(t *testing.T) {
	var sum, one FlowSizeCounts
	one.Add(1000)
	one.Add(1 << 62)
	sum.AddAll(&one)
	sum.AddAll(&one)
	if sum[len(sum)-1] != 2 || sum.LargestOf(len(sum)-1) < 1<<62 {
		t.Errorf("%d of the largest", sum[len(sum)-1])
	}
	sum.Since(&one)
	if sum != one {
		t.Errorf("%v, want %v", sum, one)
	}
}
