// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/clock"
)

// never is longer than any of these tests takes.
const never = time.Hour

// running is an engine that turns when it has to, and not by its timer.
func running(t *testing.T, turn func(p *Pacer, nowNanos int64)) (*Inbox, *Pacer) {
	inbox, pacer := NewInbox(), NewPacer(Pace{Quiet: never, Idle: never}, time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		err := Run(ctx, inbox, pacer, func(nowNanos int64) { turn(pacer, nowNanos) }, func(err error) { t.Error(err) })
		inbox.Close()
		done <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return inbox, pacer
}

func TestAnUrgentTaskCausesATurn(t *testing.T) {
	turns := make(chan int64, 100)
	inbox, pacer := running(t, func(_ *Pacer, nowNanos int64) { turns <- nowNanos })
	<-turns // the first, by the timer: then it is quiet
	for !pacer.IsSlow() {
		time.Sleep(time.Millisecond)
	}
	ran := make(chan struct{})
	inbox.Post(func() { close(ran) })
	inbox.PostNow(func() {})
	<-ran
	if len(turns) != 0 {
		t.Errorf("%d turns for tasks that need none", len(turns))
	}
	inbox.PostNow(pacer.TurnSoon)
	<-turns
}

func TestTheEngineTurnsEveryTauWhileItIsActive(t *testing.T) {
	turns := make(chan int64, 100)
	running(t, func(p *Pacer, nowNanos int64) {
		p.Active(nowNanos)
		select {
		case turns <- nowNanos:
		default:
		}
	})
	for range 10 {
		<-turns
	}
}

func TestCallsEndWithTheEngine(t *testing.T) {
	inbox := NewInbox()
	inbox.Close()
	if _, err := Call(inbox, func() (int, error) { return 1, nil }); !errors.Is(err, ErrEnded) {
		t.Errorf("%v, want that the engine has ended", err)
	}
	if _, err := CallAndWait(inbox, func() (int, error) { return 1, nil }); !errors.Is(err, ErrEnded) {
		t.Errorf("%v, want that the engine has ended", err)
	}
}

func TestCallsReturnTheResult(t *testing.T) {
	inbox, _ := running(t, func(*Pacer, int64) {})
	failure := errors.New("failure")
	if got, err := Call(inbox, func() (int, error) { return 7, failure }); got != 7 || !errors.Is(err, failure) {
		t.Errorf("%d, %v", got, err)
	}
}

func TestTheLoopsIntervalFollowsTraffic(t *testing.T) {
	const tau, second = 2 * time.Millisecond, int64(time.Second)
	now := clock.Nanos()
	p := NewPacer(DefaultPace, tau)
	expect := func(what string, nowNanos int64, want time.Duration) {
		t.Helper()
		p.beginTurn(nowNanos)
		if got := p.endTurn(nowNanos); got != want || p.IsSlow() != (want > p.Tau()) {
			t.Errorf("%s: %v, slow %v; want %v", what, got, p.IsSlow(), want)
		}
	}
	p.Active(now)
	p.Packet(now)
	expect("a mark", now, tau)
	p.Packet(now + 2*second)
	p.Packet(now + second) // an older report does not count
	expect("packets without marks", now+2*second, DefaultPace.Quiet)
	expect("nothing", now+4*second, DefaultPace.Idle)
	p.TurnSoonIfIdle(now + 4*second)
	if !p.soon {
		t.Error("control that begins on an idle host waits for the timer")
	}
	p.SetTau(100 * time.Millisecond)
	expect("a tau above both", now+5*second, 100*time.Millisecond)
}
