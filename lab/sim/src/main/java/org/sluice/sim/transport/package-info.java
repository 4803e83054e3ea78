// SPDX-License-Identifier: Apache-2.0
/**
 * TCP from its RFCs, UDP, and what they count. Knows the network, but no application and no law.
 */
package org.sluice.sim.transport;
