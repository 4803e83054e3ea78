// SPDX-License-Identifier: Apache-2.0
/** Our numbers beside the papers'. */
package org.sluice.sim.scenario.judge;
