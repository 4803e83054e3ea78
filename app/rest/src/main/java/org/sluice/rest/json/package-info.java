// SPDX-License-Identifier: Apache-2.0
/**
 * The JSON forms that others share: free of JAX-RS, so that network configuration and stores read
 * and write tenants just as requests do.
 */
package org.sluice.rest.json;
