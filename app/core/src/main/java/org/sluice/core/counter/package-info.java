// SPDX-License-Identifier: Apache-2.0
/**
 * Reads switch counters: fast where a switch connects to Sluice, else as the platform polls them.
 */
package org.sluice.core.counter;
