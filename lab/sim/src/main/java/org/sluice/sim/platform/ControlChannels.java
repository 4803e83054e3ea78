// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.network.Network;

/** The control channels of a deployment, which are alike, each with randomness of its own. */
public final class ControlChannels {
  private final Network network;
  private final ChannelParameters parameters;
  private final List<Outage> outages = new ArrayList<>();
  private final List<ControlChannel> opened = new ArrayList<>();

  public ControlChannels(Network network, ChannelParameters parameters) {
    this.network = network;
    this.parameters = parameters;
  }

  /** Opens one, with a random stream of its own by its name. */
  public ControlChannel open(String name) {
    return withStream("control channel " + name);
  }

  /** Opens one whose random stream has another name than a channel's usually has. */
  public ControlChannel withStream(String stream) {
    ControlChannel channel =
        new ControlChannel(
            network.scheduler(), network.random().stream(stream), parameters, outages);
    opened.add(channel);
    return channel;
  }

  /** Has nothing get through on any of them for a time. */
  void add(Outage outage) {
    outages.add(outage);
  }

  /** Messages on all of them, lost ones too. */
  public long sent() {
    return opened.stream().mapToLong(ControlChannel::sent).sum();
  }
}
