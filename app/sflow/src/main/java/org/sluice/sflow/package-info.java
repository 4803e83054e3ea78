// SPDX-License-Identifier: Apache-2.0
/**
 * Sizes of flows from packets that switches sample: a collector of sFlow version 5 datagrams
 * (sflow.org, "sFlow Version 5", July 2004). It accepts the switches that are listed, and uses no
 * controller type: what becomes of the estimates is somebody else's affair.
 */
package org.sluice.sflow;
