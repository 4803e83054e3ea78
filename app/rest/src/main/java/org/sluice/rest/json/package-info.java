// SPDX-License-Identifier: Apache-2.0
/**
 * The JSON of the interface. Independent of JAX-RS: network configuration and stores read and write
 * tenants by it too.
 */
package org.sluice.rest.json;
