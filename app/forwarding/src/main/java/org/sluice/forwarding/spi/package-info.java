// SPDX-License-Identifier: Apache-2.0
/**
 * What forwarding needs of a controller platform beside {@link org.sluice.core.spi}: tables of
 * rules, meters and groups, packet-ins, discovered links, a place to keep things. An adapter
 * implements these interfaces and hands them over as one {@link
 * org.sluice.forwarding.spi.ForwardingPlatform}. Nothing here decides anything.
 */
package org.sluice.forwarding.spi;
