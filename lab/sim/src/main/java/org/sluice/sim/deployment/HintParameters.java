// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import org.sluice.api.policy.PolicySet;
import org.sluice.sim.transport.RouteTable;

/**
 * Hints for hosts' TCP.
 *
 * @param policies that an operator puts in force at the start
 * @param routes what hints change; flows must use it
 * @param tickNanos what hosts round RTO_min up to, a kernel's timer tick; 0: not at all
 */
public record HintParameters(PolicySet policies, RouteTable routes, long tickNanos) {}
