// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.notice;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.sluice.agentlink.InBandPath;
import org.sluice.agentlink.NoticeSigner;
import org.sluice.agentlink.SdnGccNotice;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.Notice;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.SettingTable.NoticeFormat;
import org.sluice.core.spi.Platform;

/**
 * Puts a notice into the network as SDN-GCC does: out of the port behind which its endpoint is, to
 * the endpoint's address, from one of the destinations. Not thread-safe.
 */
final class PacketEmitter {
  /** The sender of notices: locally administered, no host's. */
  static final MacAddress SENDER = MacAddress.parse("0a:53:6c:75:6e:6f");

  private final ReportedEndpoints endpoints;
  private final EndpointLocator locator;
  private final Platform platform;
  private final Map<String, Boolean> commanded = new HashMap<>();

  PacketEmitter(ReportedEndpoints endpoints, EndpointLocator locator, Platform platform) {
    this.endpoints = endpoints;
    this.locator = locator;
    this.platform = platform;
  }

  /** Forgets which switches take packets from this node: to be called once for several notices. */
  void checkAgain() {
    commanded.clear();
  }

  private boolean isCommanded(String datapath) {
    return platform.mastership().isLocal(datapath) && platform.switches().isConnected(datapath);
  }

  /**
   * Emits a notice.
   *
   * @return why it did not; empty if it did
   */
  Optional<String> emit(NoticeKeys keys, Parameters parameters, Notice notice, long term) {
    HostId host = notice.endpoint().host();
    if (!keys.isConnected(host)) {
      return Optional.of("the agent of host " + host + " is not connected to this node");
    }
    Optional<ReportedEndpoint> endpoint = endpoints.endpoint(notice.endpoint());
    if (endpoint.isEmpty()) {
      return Optional.of("no agent reports the endpoint any more");
    }
    Optional<PortId> port = endpoint.flatMap(locator::locate);
    if (port.isEmpty()) {
      return Optional.of("the endpoint's port is unknown");
    }
    String datapath = port.get().datapath();
    if (!commanded.computeIfAbsent(datapath, this::isCommanded)) {
      return Optional.of("this node is not the master of " + datapath + ", where the host is");
    }
    Optional<InBandPath> path =
        path(endpoint.get(), notice, parameters.get(SettingTable.NOTICE_PROTOCOL));
    if (path.isEmpty()) {
      return Optional.of("endpoint and destinations have no addresses of one family");
    }
    byte[] frame;
    if (parameters.get(SettingTable.NOTICE_FORMAT) == NoticeFormat.SDN_GCC) {
      frame = SdnGccNotice.frame(path.get(), notice.marks());
    } else {
      Optional<String> obstacle = NoticeSigner.obstacle(notice);
      Optional<NoticeSigner> signer = keys.signer(host);
      if (obstacle.isPresent() || signer.isEmpty()) {
        return Optional.of(obstacle.orElse("host " + host + " has no key yet"));
      }
      frame = signer.get().frame(path.get(), notice, term);
    }
    platform.packetOut().emit(port.get(), frame);
    return Optional.empty();
  }

  /** From the first destination that has a counterpart: always the same one for the same set. */
  private static Optional<InBandPath> path(ReportedEndpoint to, Notice notice, int protocol) {
    for (IpAddress source : new TreeSet<>(notice.destinations())) {
      for (IpAddress destination : new TreeSet<>(to.ips())) {
        if (source.isIpv4() == destination.isIpv4() && !source.equals(destination)) {
          return Optional.of(InBandPath.of(protocol, SENDER, to.mac(), source, destination));
        }
      }
    }
    return Optional.empty();
  }
}
