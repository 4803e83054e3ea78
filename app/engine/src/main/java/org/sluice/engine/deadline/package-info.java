// SPDX-License-Identifier: Apache-2.0
/**
 * SED, after Lu, "SED: An SDN-Based Explicit-Deadline-Aware TCP for Cloud Data Center Networks":
 * deadlines are met by receive windows that the controller hands out, and promised only where they
 * can be met.
 *
 * <p>{@link Deadlines} is the way in. {@link GifTable} holds the flows, {@link DeadlinePort} what
 * is known of a port, {@link WindowAllocation} who gets which window, {@link SedAdmission} what
 * could be met. {@link LossAnswers} is RSED: what becomes of packets that a queue drops. Plain
 * Java, driven by one thread, time is an argument.
 */
package org.sluice.engine.deadline;
