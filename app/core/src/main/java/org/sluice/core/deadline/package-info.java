// SPDX-License-Identifier: Apache-2.0
/** Flows with deadlines: their registrations over the cluster, and the engine's part of them. */
package org.sluice.core.deadline;
