// SPDX-License-Identifier: Apache-2.0
/**
 * The ports under control: since when and until when, what the laws are given of them, and what is
 * published to hosts and sent to sources.
 *
 * <p>Here lives what applies a law to the tables and hands decisions to the {@link DecisionSink};
 * the decision itself is in {@code law}.
 */
package org.sluice.engine.control;
