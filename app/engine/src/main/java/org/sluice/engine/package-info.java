// SPDX-License-Identifier: Apache-2.0
/**
 * The controller's half of the control laws.
 *
 * <p>{@link Engine} takes what hosts observe and what an operator wants, and hands decisions to a
 * {@link DecisionSink}. Plain Java: time is an argument, there is no thread, socket or logger, and
 * one thread drives it. A controller binding or a simulator supplies {@link PathOracle}, {@link
 * PortAuthority} and {@link DecisionSink}.
 *
 * <p>Each law is one file: {@link TwoTimeScaleLaw} (Sluice's own, the default) and {@link
 * SdnGccLaw} (the published one).
 */
package org.sluice.engine;
