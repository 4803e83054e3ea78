// SPDX-License-Identifier: Apache-2.0

package clock

import (
	"testing"
	"time"
)

const deadline = 5 * time.Second

func next(t *testing.T, ticker *Ticker) {
	t.Helper()
	select {
	case <-ticker.C:
	case <-time.After(deadline):
		t.Fatal("no tick")
	}
}

func TestATickerTicksAtItsPeriodAndAtANewOne(t *testing.T) {
	begin := time.Now()
	ticker, err := NewTicker(2 * time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		next(t, ticker)
	}
	// Ticks may be late or dropped, never early.
	if took := time.Since(begin); took < 20*time.Millisecond {
		t.Errorf("ten ticks of 2 ms took %v", took)
	}
	if err := ticker.Reset(30 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	begin = time.Now()
	// Two of the earlier period may still be there or on their way.
	for range 4 {
		next(t, ticker)
	}
	if took := time.Since(begin); took < 55*time.Millisecond {
		t.Errorf("two ticks of 30 ms took %v", took)
	}
	if err := ticker.Stop(); err != nil {
		t.Error(err)
	}
}

func TestTicksOfAnUnreadTickerDoNotAccumulate(t *testing.T) {
	ticker, err := NewTicker(time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	next(t, ticker)
	time.Sleep(20 * time.Millisecond) // nobody listens
	if err := ticker.Reset(time.Hour); err != nil {
		t.Fatal(err)
	}
	next(t, ticker)
	select {
	case <-ticker.C:
		t.Error("two ticks waited")
	case <-time.After(20 * time.Millisecond):
	}
	if err := ticker.Stop(); err != nil {
		t.Error(err)
	}
}

func TestAnInvalidPeriodIsRefused(t *testing.T) {
	if _, err := NewTicker(-time.Second); err == nil {
		t.Error("a ticker of -1 s")
	}
}
