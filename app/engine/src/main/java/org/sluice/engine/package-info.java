/**
 * The controller's half of the control laws.
 *
 * <p>{@link Engine} takes what hosts observe and what an operator wants, and hands decisions to a
 * {@link org.sluice.engine.control.DecisionSink}. Plain Java: time is an argument, there is no
 * thread, socket or logger, and one thread drives it. A controller binding or a simulator supplies
 * {@link org.sluice.engine.path.PathOracle}, {@link org.sluice.engine.control.PortAuthority} and
 * the sink.
 *
 * <p>Each law is one file in {@link org.sluice.engine.law}.
 */
package org.sluice.engine;
