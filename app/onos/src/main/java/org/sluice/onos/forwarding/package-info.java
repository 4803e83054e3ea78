// SPDX-License-Identifier: Apache-2.0
/**
 * Sluice's own forwarding: the OpenFlow pipeline, its meters and groups, and address resolution.
 */
package org.sluice.onos.forwarding;
