// SPDX-License-Identifier: Apache-2.0
/** Messages to switches that ONOS's services have no words for, through ONOS's own channel. */
package org.sluice.onos.openflow;
