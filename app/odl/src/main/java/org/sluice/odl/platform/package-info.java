// SPDX-License-Identifier: Apache-2.0
/** OpenDaylight as core and forwarding see it. */
package org.sluice.odl.platform;
