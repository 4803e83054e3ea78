// SPDX-License-Identifier: Apache-2.0

// Package agent is the host's agent at work: it puts the shim and the classes in place, runs the laws every
// tau, and takes everything away again.
//
// One goroutine, the engine, owns all state. Others post tasks to its inbox (package engine): the event
// reader what the BPF programs report, the agent link what controllers decide, the control socket what an
// operator requests, the reconciler which interfaces have come and gone. What is to leave the host is
// handed to the agent link, which sends it in goroutines of its own.
//
// # Order of calls
//
// A part calls only parts that stand below it, and data go the same way. Nothing calls back.
//
//	eventReader  decisions  Handle  interfaces    in goroutines of their own: post tasks, or wait for one
//	hostLoop                                      a turn every tau, housekeeping every second; runs the tasks
//	notices                                       controllers' notices: to endpoints
//	pairs                                         counters: what was sent to endpoints, what arrived to peers
//	peers  connections                            other agents' messages; TCP connections and their windows
//	endpoints                                     the virtual NICs: addresses, policies, limits
//	law  uplink                                   pure laws; the uplink's division
//	htb  shim                                     kernel classes; BPF programs
//
// Notices get the senders from pairs (for the format of SDN-GCC, which does not name them), connections get
// interfaces from endpoints. All parts report to the pacer when to turn, to faults what failed, and to the
// controllers what they are to get; these three call none of them.
//
// # Lifecycle
//
// Start finds the interfaces, prepares the link, installs classes and programs and adds the first
// endpoints; a failure leaves nothing. Run ends with its context, or with the uplink. Stop takes back what
// Start did. What a killed agent leaves holds for a lease, which turns renew; the next Start removes it.
package agent
