// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim;

import org.sluice.api.PortId;

/**
 * A port's unit share as a receiver's shim passes it on to a source that causes marks.
 *
 * @param port the controlled port
 * @param share as the controller published it last
 */
record PassedShare(PortId port, PortShare share) {}
