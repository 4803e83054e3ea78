// SPDX-License-Identifier: Apache-2.0

package pairs

import "testing"

func TestConnectionsAreRefusedAboveAMarkShareWithHysteresis(t *testing.T) {
	type window struct {
		sent, marks uint64
		want        bool
	}
	for name, windows := range map[string][]window{
		"more than the part":         {{100, 51, true}},
		"the part":                   {{100, 50, false}},
		"hysteresis":                 {{100, 60, true}, {100, 40, true}, {100, 25, false}, {100, 40, false}},
		"nothing is sent any more":   {{100, 90, true}, {0, 0, false}},
		"too few to decide":          {{4, 4, false}},
		"marks of what went earlier": {{2, 8, true}},
	} {
		var r refusal
		now, sent, marks := int64(1), uint64(1000), uint64(700) // before the first evaluation
		r.evaluate(now, sent, marks, 0.5)
		if r.on {
			t.Errorf("%s: refused by what came before", name)
		}
		for i, w := range windows {
			sent, marks = sent+w.sent, marks+w.marks
			was := r.on
			if r.evaluate(now+refusalWindow-1, sent, marks, 0.5) {
				t.Errorf("%s: changed within a window", name)
			}
			now += refusalWindow
			if changed := r.evaluate(now, sent, marks, 0.5); r.on != w.want || changed != (was != w.want) {
				t.Errorf("%s, window %d: refused %v, changed %v", name, i, r.on, changed)
			}
		}
	}
}
