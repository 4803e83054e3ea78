// SPDX-License-Identifier: Apache-2.0

// Package link is the agent's end of the agent link: it dials every controller, introduces the
// host, sends what the agent observes, and passes verified decisions to the agent.
//
// For each controller one goroutine keeps a session: dial (mutual TLS; certificates are read anew
// every time), Hello, Welcome, then messages in both directions until something fails, then again
// after a growing pause. Decisions of all sessions meet in one table, which refuses what is stale, keeps
// each node's lease, and where several nodes decide about one port lets the lowest unit share hold.
//
// What arrives from a controller is checked before it is used: a message with any invalid part is
// refused whole and counted.
package link
