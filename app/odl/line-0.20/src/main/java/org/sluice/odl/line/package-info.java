// SPDX-License-Identifier: Apache-2.0
/** What is written differently for each line of OpenDaylight. */
package org.sluice.odl.line;
