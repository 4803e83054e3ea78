// SPDX-License-Identifier: Apache-2.0

// Package engine is the one goroutine that owns an agent's state.
//
// Other goroutines post tasks to its Inbox: what the programs in the kernel report, what controllers
// decide, what the control socket requests. Run runs them between turns, which come every tau while
// limits follow marks, and more seldom while nothing is controlled. The Pacer decides when.
package engine
