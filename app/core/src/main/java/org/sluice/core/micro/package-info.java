// SPDX-License-Identifier: Apache-2.0
/**
 * Micro-flow on a real network: what port agents and hosts report of queues and flows goes to the
 * engine's law, and its caps to port agents or switches; and the sizes at which flows leave a level
 * of priority for the next.
 */
package org.sluice.core.micro;
