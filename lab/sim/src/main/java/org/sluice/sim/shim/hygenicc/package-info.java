// SPDX-License-Identifier: Apache-2.0

/** HyGenICC's shim, which needs no controller. */
package org.sluice.sim.shim.hygenicc;
