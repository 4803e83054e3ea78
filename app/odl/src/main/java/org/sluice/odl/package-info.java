// SPDX-License-Identifier: Apache-2.0
/**
 * The binding to OpenDaylight. Everything that knows MD-SAL and openflowplugin lives here and
 * below.
 */
package org.sluice.odl;
