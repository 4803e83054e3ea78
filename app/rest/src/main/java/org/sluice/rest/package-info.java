// SPDX-License-Identifier: Apache-2.0
/**
 * Sluice's REST interface: resources over the services of {@code org.sluice.api}, which are found
 * in the OSGi registry, and RFC 9457 problem documents for whatever is refused. Independent of the
 * controller platform.
 *
 * <p>Rates are in bit/s in the services, in Mbit/s with the suffix {@code Mbps} in JSON.
 */
package org.sluice.rest;
