// SPDX-License-Identifier: Apache-2.0
/**
 * Rules, meters, groups, packets and counters of OpenFlow switches by openflowplugin's RPC
 * services, without its datastore: what was sent is remembered here, and compared with what
 * switches have.
 */
package org.sluice.odl.openflow;
