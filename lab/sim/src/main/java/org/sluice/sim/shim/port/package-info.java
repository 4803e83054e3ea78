// SPDX-License-Identifier: Apache-2.0

/**
 * The congested ports that one endpoint is controlled for: the law of each, which limit holds for
 * which destination, and whose marks count where.
 */
package org.sluice.sim.shim.port;
