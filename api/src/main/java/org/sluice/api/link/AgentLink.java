// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import java.util.List;
import java.util.Set;
import org.sluice.api.HostId;

/**
 * Speaks to hosts. Every call returns at once; what a host cannot take in time is dropped oldest
 * first and counted, and calls about a host without a session do nothing.
 *
 * <p>The term grows whenever this controller node newly takes over the duty in whose name it
 * speaks; agents refuse what is older than what they hold.
 */
public interface AgentLink {

  /** Hosts with an open session. */
  Set<HostId> connectedHosts();

  /** Replaces all endpoint policies of the host. */
  void sendPolicies(HostId host, long term, List<EndpointPolicy> policies);

  void sendUnitShares(HostId host, long term, List<UnitShare> shares);

  void sendNotices(HostId host, long term, List<Notice> notices);

  void sendSettings(HostId host, long term, HostSettings settings);

  /**
   * Hands out the key of in-band messages.
   *
   * @param keyId grows with every new key
   * @param key 32 bytes
   */
  void sendPeerKey(HostId host, long term, int keyId, byte[] key);

  /**
   * Hands out the key with which this node signs in-band notices to the host, and to no other. The
   * host forgets it when this node's lease ends.
   *
   * @param keyId grows with every new key of this node
   * @param key 32 bytes
   */
  void sendNoticeKey(HostId host, long term, int keyId, byte[] key);

  /**
   * Hands out windows of flows of the host's endpoints; of what waits for one flow only the newest
   * is sent.
   */
  void sendGrants(HostId host, long term, List<WindowGrant> grants);

  /** Answers an application on the host. */
  void sendFlowAnswer(HostId host, long term, FlowAnswer answer);

  /** Has the host send duplicate acknowledgements to its endpoints. */
  void sendLossAnswers(HostId host, long term, List<LossAnswer> answers);

  /** Has a port agent send packets again that it keeps. */
  void sendResends(HostId host, long term, List<Resend> resends);

  /** Registers for what hosts say; connected hosts are announced to it at once. */
  void addListener(AgentLinkListener listener);

  void removeListener(AgentLinkListener listener);
}
