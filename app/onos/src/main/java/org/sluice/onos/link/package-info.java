// SPDX-License-Identifier: Apache-2.0
/**
 * The agent link's life under the component properties, in whose name this node speaks, and how
 * what it says becomes messages.
 */
package org.sluice.onos.link;
