// SPDX-License-Identifier: Apache-2.0
/**
 * The controller's end of the agent link: a gRPC server over mutual TLS that implements {@link
 * org.sluice.api.link.AgentLink}. Depends on no controller platform; every message of an agent is
 * checked here before it is delivered.
 */
package org.sluice.agentlink;
