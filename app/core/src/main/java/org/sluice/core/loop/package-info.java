// SPDX-License-Identifier: Apache-2.0
/**
 * The control loop on this node: what the one engine thread does, what the engine is fed with, and
 * how its decisions leave.
 */
package org.sluice.core.loop;
