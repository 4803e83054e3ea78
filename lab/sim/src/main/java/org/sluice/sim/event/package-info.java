// SPDX-License-Identifier: Apache-2.0
/** Time: the clock and the events to come. Independent of networks. */
package org.sluice.sim.event;
