// SPDX-License-Identifier: Apache-2.0

/** The queue of a host's NIC: classes with limits, token buckets, sparse and bulk flows. */
package org.sluice.sim.shim.queue;
