// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"sync"
	"time"
)

// Inbox holds tasks that other goroutines have for the engine. Posting never blocks.
type Inbox struct {
	mu    sync.Mutex
	tasks []func()
	poll  func()
	wake  chan struct{}
	ended chan struct{}
}

// NewInbox makes an empty one.
func NewInbox() *Inbox {
	return &Inbox{wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// Close declares that the engine has ended: tasks are no longer run.
func (i *Inbox) Close() { close(i.ended) }

// Post leaves a task to be run before the next turn, whenever that is.
func (i *Inbox) Post(task func()) {
	i.mu.Lock()
	i.tasks = append(i.tasks, task)
	i.mu.Unlock()
}

// Poll has RunTasks take what comes without being posted, too: behind the tasks, so that what was decided before it came
// holds for it. It is called before the engine runs.
func (i *Inbox) Poll(take func()) { i.poll = take }

// Wake has RunTasks run at once; like PostNow it does not cause a turn.
func (i *Inbox) Wake() {
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

// PostNow has a task run at once. It does not cause a turn: a task that needs one calls Pacer.TurnSoon.
func (i *Inbox) PostNow(task func()) {
	i.Post(task)
	i.Wake()
}

// RunTasks runs what was posted. For the engine's goroutine.
func (i *Inbox) RunTasks() {
	for _, task := range i.take() {
		task()
	}
	if i.poll != nil {
		i.poll()
	}
}

func (i *Inbox) take() []func() {
	i.mu.Lock()
	defer i.mu.Unlock()
	tasks := i.tasks
	i.tasks = nil
	return tasks
}

const callTimeout = 3 * time.Second

// ErrEnded is why a call has no result where the engine has ended.
var ErrEnded = errors.New("the agent is stopping")

// Call runs a function in the engine and waits for its result, for a few seconds at most: somebody
// waits for that.
func Call[T any](i *Inbox, function func() (T, error)) (T, error) {
	return callUntil(i, function, time.After(callTimeout))
}

// CallAndWait runs a function in the engine and waits until it has run, or the engine has ended.
func CallAndWait[T any](i *Inbox, function func() (T, error)) (T, error) {
	return callUntil(i, function, nil)
}

func callUntil[T any](i *Inbox, function func() (T, error), timeout <-chan time.Time) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	i.PostNow(func() {
		value, err := function()
		done <- result{value, err}
	})
	var none T
	select {
	case r := <-done:
		return r.value, r.err
	case <-i.ended:
		return none, ErrEnded
	case <-timeout:
		return none, errors.New("the agent's engine did not respond within 3 s")
	}
}
