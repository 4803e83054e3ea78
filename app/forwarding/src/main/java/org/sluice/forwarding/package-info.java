// SPDX-License-Identifier: Apache-2.0
/**
 * Sluice's own forwarding on any controller platform: topology, rules, meters, groups, address
 * resolution, over the interfaces of {@link org.sluice.forwarding.spi}; and the whole controller
 * node that an adapter runs.
 */
package org.sluice.forwarding;
