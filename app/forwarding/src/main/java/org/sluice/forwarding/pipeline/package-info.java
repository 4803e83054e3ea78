// SPDX-License-Identifier: Apache-2.0
/**
 * Forwarding by Sluice's own rules: what they are, meters and groups that they use, and what
 * switches send the controller because of them.
 */
package org.sluice.forwarding.pipeline;
