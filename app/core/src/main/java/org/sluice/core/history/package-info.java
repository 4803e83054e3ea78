// SPDX-License-Identifier: Apache-2.0
/** What was seen in the last hour. */
package org.sluice.core.history;
