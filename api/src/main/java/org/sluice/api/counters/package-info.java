// SPDX-License-Identifier: Apache-2.0
/** What switches count, as it reaches the engine, and where it comes from. */
package org.sluice.api.counters;
