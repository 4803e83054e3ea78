// SPDX-License-Identifier: Apache-2.0

// Package interfaces keeps a host's endpoints in step with its interfaces: which of them are endpoints,
// by the configuration's list, by the ports of the uplink's bridge, or by Open vSwitch's database.
//
// A plan is computed from what there is, and the Reconciler carries it out, again whenever something may
// have changed. It runs in a goroutine of its own, because the kernel takes tens of milliseconds to attach
// or detach a program, and has the engine add and remove endpoints meanwhile.
package interfaces
