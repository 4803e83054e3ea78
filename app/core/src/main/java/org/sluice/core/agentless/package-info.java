// SPDX-License-Identifier: Apache-2.0
/**
 * Machines without an agent: behind which edge ports they are, and what they send to whom, as far
 * as switches' counters and receivers' agents say.
 */
package org.sluice.core.agentless;
