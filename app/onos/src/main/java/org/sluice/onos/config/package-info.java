// SPDX-License-Identifier: Apache-2.0
/** The network configuration {@code apps/org.sluice/sluice}: port capacities, first tenants. */
package org.sluice.onos.config;
