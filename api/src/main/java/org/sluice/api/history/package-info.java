// SPDX-License-Identifier: Apache-2.0
/** What tenants got in the last hour, for charts. */
package org.sluice.api.history;
