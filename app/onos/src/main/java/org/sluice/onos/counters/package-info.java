// SPDX-License-Identifier: Apache-2.0
/** Reads switch counters: fast where a switch connects to Sluice, else as ONOS polls them. */
package org.sluice.onos.counters;
