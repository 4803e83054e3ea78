// SPDX-License-Identifier: Apache-2.0
/** The networks that everybody uses, ready made. */
package org.sluice.sim.topology;
