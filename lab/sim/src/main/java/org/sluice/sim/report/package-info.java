// SPDX-License-Identifier: Apache-2.0
/** Results for people and machines: table, JSON, CSV, plots. */
package org.sluice.sim.report;
