// SPDX-License-Identifier: Apache-2.0
/** What is read from a running simulation, and the numbers made of it. */
package org.sluice.sim.scenario.measure;
