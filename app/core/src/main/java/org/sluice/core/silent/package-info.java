// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints whose agents are silent: who they are, what they may send, and that switches hold them
 * to it at their edge ports.
 */
package org.sluice.core.silent;
