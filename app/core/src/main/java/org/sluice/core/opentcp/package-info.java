// SPDX-License-Identifier: Apache-2.0
/**
 * OpenTCP on this node: policy sets over the cluster, the engine's oracle on the network as it is,
 * and hints to hosts. Every node collects what links carry; the leader of the policies evaluates.
 */
package org.sluice.core.opentcp;
