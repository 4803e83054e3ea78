// SPDX-License-Identifier: Apache-2.0
/** Who sends what, when: requests and responses, arrivals of flows, and the sizes they have. */
package org.sluice.sim.application;
