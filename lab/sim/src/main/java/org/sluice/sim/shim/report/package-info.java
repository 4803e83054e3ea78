// SPDX-License-Identifier: Apache-2.0

/** Reports of what a host's pairs sent and received, for the controller. */
package org.sluice.sim.shim.report;
