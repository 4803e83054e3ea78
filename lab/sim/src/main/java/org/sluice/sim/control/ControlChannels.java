// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.network.Network;

/** The control channels of a deployment, which are alike, each with randomness of its own. */
final class ControlChannels {
  private final Network network;
  private final ChannelParameters parameters;
  private final List<ControlChannel> opened = new ArrayList<>();

  ControlChannels(Network network, ChannelParameters parameters) {
    this.network = network;
    this.parameters = parameters;
  }

  /** Opens one, with a random stream of its own by its name. */
  ControlChannel open(String name) {
    return withStream("control channel " + name);
  }

  /** Opens one whose random stream has another name than a channel's usually has. */
  ControlChannel withStream(String stream) {
    ControlChannel channel =
        new ControlChannel(network.scheduler(), network.random().stream(stream), parameters);
    opened.add(channel);
    return channel;
  }

  /** Messages on all of them, lost ones too. */
  long sent() {
    return opened.stream().mapToLong(ControlChannel::sent).sum();
  }
}
