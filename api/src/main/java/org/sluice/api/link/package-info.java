// SPDX-License-Identifier: Apache-2.0
/**
 * The agent link as the rest of the controller sees it: what hosts report, and what they receive.
 * No transport type appears here; the wire form is {@code sluice/agentlink/v1/agent_link.proto}.
 */
package org.sluice.api.link;
