// SPDX-License-Identifier: Apache-2.0
/** The agent link's life under the component properties, and in whose name this node speaks. */
package org.sluice.onos.link;
