// SPDX-License-Identifier: Apache-2.0

/** SED's and RSED's shim: windows and duplicate acknowledgements for flows with deadlines. */
package org.sluice.sim.shim.deadline;
