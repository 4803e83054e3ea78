// SPDX-License-Identifier: Apache-2.0
/**
 * Binds Sluice to ONOS: lifecycle, forwarding, stores and the loop's inputs and outputs. The only
 * place, with the command line and the page's overlay, that uses ONOS's types.
 */
package org.sluice.onos;
