// SPDX-License-Identifier: Apache-2.0
/**
 * What a controller node runs on where nothing real is around it, in a simulation or a test:
 * virtual time, and a storage in this process.
 */
package org.sluice.core.virtual;
