// SPDX-License-Identifier: Apache-2.0
/**
 * What comes in: observations of hosts, endpoints with their addresses, and the life of pairs, from
 * their first bytes until they are forgotten.
 *
 * <p>Here lives what fills the tables of {@code state}, and checks what is reported.
 */
package org.sluice.engine.traffic;
