// SPDX-License-Identifier: Apache-2.0
/**
 * The JSON of the model and the services, for REST, network configuration, stores and the shell.
 */
package org.sluice.json;
