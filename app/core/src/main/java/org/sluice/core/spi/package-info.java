// SPDX-License-Identifier: Apache-2.0
/**
 * What the core needs of its surroundings: switches and links, attachments, packet-out, counters,
 * mastership and leadership, replicated maps, an operator's configuration. A controller platform's
 * adapter implements these interfaces and hands them over as one {@link
 * org.sluice.core.spi.Platform}. Nothing here decides anything.
 */
package org.sluice.core.spi;
