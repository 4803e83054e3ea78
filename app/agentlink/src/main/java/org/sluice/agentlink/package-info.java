// SPDX-License-Identifier: Apache-2.0
/**
 * The controller's end of the agent link: a gRPC server over mutual TLS that implements {@link
 * org.sluice.api.link.AgentLink}. Knows no controller platform; whatever comes from an agent is
 * checked here before anyone else sees it.
 */
package org.sluice.agentlink;
