// SPDX-License-Identifier: Apache-2.0
/**
 * OpenTCP's oracle: what links carry and lose, who sends to whom, and the policies that are
 * evaluated on it every cycle. One thread; time is an argument.
 */
package org.sluice.engine.opentcp;
