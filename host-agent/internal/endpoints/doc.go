// SPDX-License-Identifier: Apache-2.0

// Package endpoints is the virtual NICs of a host and the limits on them.
//
//	Table        which endpoints there are, whose an address is, what controllers and the operator set
//	             for a name
//	Endpoint     one virtual NIC: its policy and its parts
//	  Control    its laws, and with them the groups of the congested ports that it is controlled for: decides limits
//	  classes    holds the limits of groups in the kernel: HTB classes, buckets, windows, where each destination goes
//	  gate       holds an endpoint to its limits while its classes move to another tenant's
//	  addresses  takes over the addresses that the shim learns from what the VM sends
//
// What an endpoint owns of the uplink is package uplink's; an endpoint states its claim, the table has it
// put into force.
//
// Decisions go from Control to classes, never back: what classes observe (backlog) is handed to Control
// when its laws step. All of it is for the engine's goroutine.
package endpoints
