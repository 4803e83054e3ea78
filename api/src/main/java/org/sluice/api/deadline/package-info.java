// SPDX-License-Identifier: Apache-2.0
/**
 * Flows with deadlines: what tenants register, what they are answered, and what becomes of them.
 */
package org.sluice.api.deadline;
