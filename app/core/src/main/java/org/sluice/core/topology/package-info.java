// SPDX-License-Identifier: Apache-2.0
/** The network's topology for those who look at it. */
package org.sluice.core.topology;
