// SPDX-License-Identifier: Apache-2.0
/** x. */
package org.sluice.lab.onos.openflow;
