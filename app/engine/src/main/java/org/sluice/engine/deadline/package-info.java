// SPDX-License-Identifier: Apache-2.0
/**
 * SED and RSED at work: the GIF table, what is counted of ports and flows, how flows begin and end,
 * and what is published to hosts.
 *
 * <p>{@link Deadlines} is the entrance; {@link LossAnswers} is RSED's. Here live tables and
 * bookkeeping; who gets which window, what can be promised and what is done about a loss is decided
 * in {@code law}, which sees a {@link GifRow} as a flow and a {@link DeadlinePort} as a port.
 * Driven by one thread, time is an argument.
 */
package org.sluice.engine.deadline;
