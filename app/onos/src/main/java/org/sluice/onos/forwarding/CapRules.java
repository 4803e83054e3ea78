// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.onosproject.net.DeviceId;
import org.onosproject.net.flow.FlowRule;

/**
 * What holds long flows back in switches, as {@link Forwarding} needs it: on its thread, for
 * switches whose master this node is, while Sluice forwards.
 */
public interface CapRules {

  /** Receives switches whose rules are to change. */
  void setListener(Consumer<Set<DeviceId>> listener);

  /** The rules of a switch, beside its routes; sees to their meters as well. */
  List<FlowRule> rules(DeviceId device, CapRoutes routes);

  /** Whether there will be more to do soon that nobody announces. */
  boolean takeWaiting();

  /** The switch came, or came back. */
  void returned(DeviceId device);

  /** The switch went away. */
  void forget(DeviceId device);

  /** The switch is another node's. */
  void lose(DeviceId device);

  /** Takes back all meters of a switch, whose rules are gone. */
  void removeAll(DeviceId device);
}
