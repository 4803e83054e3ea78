// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"sync"
	"time"
)

// inbox is work left for the engine by other goroutines. Leaving work never blocks.
type inbox struct {
	mu     sync.Mutex
	work   []func()
	wake   chan struct{}
	closed chan struct{}
}

func (i *inbox) open() {
	i.wake, i.closed = make(chan struct{}, 1), make(chan struct{})
}

// close says that the engine has ended: nobody answers any more.
func (i *inbox) close() { close(i.closed) }

// leave hands work over, done at the next turn of the engine.
func (i *inbox) leave(work func()) {
	i.mu.Lock()
	i.work = append(i.work, work)
	i.mu.Unlock()
}

// urge hands work over and wakes the engine for it.
func (i *inbox) urge(work func()) {
	i.leave(work)
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// take empties the inbox.
func (i *inbox) take() []func() {
	i.mu.Lock()
	defer i.mu.Unlock()
	work := i.work
	i.work = nil
	return work
}

const engineTimeout = 3 * time.Second

var errEngineEnded = errors.New("the agent is stopping")

// ask runs a question in the engine and waits for its answer, but not for ever: somebody waits for
// what comes of it.
func ask[T any](i *inbox, question func() (T, error)) (T, error) {
	return askUntil(i, question, time.After(engineTimeout))
}

// order has the engine do something and waits until it is done, or the engine has ended.
func order[T any](i *inbox, work func() (T, error)) (T, error) { return askUntil(i, work, nil) }

func askUntil[T any](i *inbox, question func() (T, error), late <-chan time.Time) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	i.urge(func() {
		value, err := question()
		done <- outcome{value, err}
	})
	var none T
	select {
	case o := <-done:
		return o.value, o.err
	case <-i.closed:
		return none, errEngineEnded
	case <-late:
		return none, errors.New("the agent's engine does not answer")
	}
}
