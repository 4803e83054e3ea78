// SPDX-License-Identifier: Apache-2.0
/**
 * Sluice's REST interface: resources over the services of {@code org.sluice.api}, which are found
 * in the OSGi registry, and RFC 9457 problem documents for whatever is refused. Independent of the
 * controller platform.
 *
 * <p>Rates are whole numbers of bit/s, here as in the services.
 */
package org.sluice.rest;
