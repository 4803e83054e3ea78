// SPDX-License-Identifier: Apache-2.0
/** The network's topology for its users. */
package org.sluice.core.topology;
