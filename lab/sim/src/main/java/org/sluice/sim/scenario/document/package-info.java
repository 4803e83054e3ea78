// SPDX-License-Identifier: Apache-2.0
/** Scenario files: text with line numbers, values set from outside, the schema's judgement. */
package org.sluice.sim.scenario.document;
