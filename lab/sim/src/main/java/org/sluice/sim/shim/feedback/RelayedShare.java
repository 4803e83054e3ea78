// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.feedback;

import org.sluice.api.PortId;
import org.sluice.sim.shim.law.PortShare;

/**
 * A port's unit share as a receiver's shim relays it to a source that causes marks.
 *
 * @param port the controlled port
 * @param share as the controller published it last
 */
public record RelayedShare(PortId port, PortShare share) {}
