// SPDX-License-Identifier: Apache-2.0
/** From the values of a variant to a network with traffic, a law and measurements. */
package org.sluice.sim.scenario.build;
