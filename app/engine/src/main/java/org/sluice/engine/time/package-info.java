// SPDX-License-Identifier: Apache-2.0
/**
 * Engine time: a clock that follows the caller's and never leaps, the length of ticks, and how
 * rates and sums fade with it. Nothing here reads a clock.
 */
package org.sluice.engine.time;
