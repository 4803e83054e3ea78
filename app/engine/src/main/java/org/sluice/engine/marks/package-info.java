// SPDX-License-Identifier: Apache-2.0
/**
 * Which port marked: what switches, port agents and hosts report, which source counts for a port,
 * and which port of a path a receiver's marks belong to.
 *
 * <p>Here lives what finds marks and their ports; what is done about them is {@code control}'s.
 */
package org.sluice.engine.marks;
