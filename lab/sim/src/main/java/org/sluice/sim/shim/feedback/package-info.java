// SPDX-License-Identifier: Apache-2.0

/** What a receiver's shim sends to the shims of those who send to it. */
package org.sluice.sim.shim.feedback;
