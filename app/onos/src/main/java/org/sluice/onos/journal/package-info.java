// SPDX-License-Identifier: Apache-2.0
/** The journal of this node, which the engine and the other components share. */
package org.sluice.onos.journal;
