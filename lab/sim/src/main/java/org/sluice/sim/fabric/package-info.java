// SPDX-License-Identifier: Apache-2.0
/** Random networks with tenants and senders, as parts of scenario documents. */
package org.sluice.sim.fabric;
