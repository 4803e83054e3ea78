// SPDX-License-Identifier: Apache-2.0
/** What the nodes of a cluster share, in OpenDaylight's data broker, and what one keeps itself. */
package org.sluice.odl.store;
