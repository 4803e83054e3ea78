// SPDX-License-Identifier: Apache-2.0
/**
 * Queues of ports, background flows and their caps, as Sluice sees them (Micro-flow, and levels).
 * What REST, shell and page read.
 */
package org.sluice.api.queue;
