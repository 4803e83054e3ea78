// SPDX-License-Identifier: Apache-2.0
/** Flows with deadlines: what tenants register, what they are told, and what becomes of them. */
package org.sluice.api.deadline;
