// SPDX-License-Identifier: Apache-2.0
/** Tenants: kept over the cluster, checked before they hold, resolved to endpoints. */
package org.sluice.core.tenant;
