// SPDX-License-Identifier: Apache-2.0
/**
 * Sluice's REST interface: resources over the services of {@code org.sluice.api}, which it finds in
 * the OSGi registry, and RFC 9457 problem documents for whatever is refused. Knows no controller
 * platform.
 *
 * <p>Rates are bit/s inside and Mbit/s, with the suffix {@code Mbps}, outside.
 */
package org.sluice.rest;
