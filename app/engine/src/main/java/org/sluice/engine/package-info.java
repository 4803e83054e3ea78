// SPDX-License-Identifier: Apache-2.0
/**
 * The controller's half of the control laws: the entrance, and nothing else.
 *
 * <p>{@link Engine} takes what hosts observe and what an operator configures, and hands decisions
 * to a {@link org.sluice.engine.control.DecisionSink}. Plain Java: time is an argument, there is no
 * thread, socket or logger, and one thread drives it. A controller binding or a simulator supplies
 * {@link org.sluice.engine.path.PathOracle}, {@link org.sluice.engine.control.PortAuthority} and
 * the sink. {@link org.sluice.engine.deadline.Deadlines} is a second entrance, for flows with
 * deadlines, {@link org.sluice.engine.micro.MicroFlowControl} a third, for caps on what delays
 * short flows.
 *
 * <p>The laws are in {@link org.sluice.engine.law}, one file each. Packages take the single
 * parameters that they need: none depends on this package, and no two on each other.
 */
package org.sluice.engine;
