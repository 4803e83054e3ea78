// SPDX-License-Identifier: Apache-2.0
package org.sluice.overlay;

import java.util.Optional;
import org.onosproject.net.Link;
import org.onosproject.net.LinkKey;
import org.onosproject.ui.topo.BiLink;
import org.onosproject.ui.topo.LinkHighlight;
import org.onosproject.ui.topo.LinkHighlight.Flavor;
import org.onosproject.ui.topo.Mod;
import org.sluice.api.MegabitRate;
import org.sluice.api.PortStatus;

/** A link of ONOS's view and the fuller of the two ports that send into it. */
final class CongestedLink extends BiLink {
  /** The style sheet of ONOS's page has these for its own view of traffic. */
  static final Mod RED = new Mod("port-traffic-red");

  static final Mod ORANGE = new Mod("port-traffic-orange");
  static final Mod YELLOW = new Mod("port-traffic-yellow");

  /** From so much of its capacity on a port that is not congested is shown as full. */
  private static final double FULL = 0.8;

  /** From so many marked packets on a congested port is red. */
  private static final double MARKED = 0.1;

  private Optional<PortStatus> port = Optional.empty();

  CongestedLink(LinkKey key, Link link) {
    super(key, link);
  }

  /** One of its ports; the worse of them is shown. */
  void take(PortStatus status) {
    if (port.isEmpty() || level(status) > level(port.get())) {
      port = Optional.of(status);
    }
  }

  private static double level(PortStatus status) {
    return status.congested() ? 2 + status.ceShare() : load(status);
  }

  private static double load(PortStatus status) {
    return Math.min(1, (double) status.loadBitsPerSecond() / status.capacityBitsPerSecond());
  }

  /** Whether there is anything to show. */
  boolean isNoteworthy() {
    return port.isPresent() && (port.get().congested() || load(port.get()) >= FULL);
  }

  @Override
  public LinkHighlight highlight(Enum<?> unused) {
    PortStatus shown = port.orElseThrow();
    return new LinkHighlight(linkId(), Flavor.PRIMARY_HIGHLIGHT)
        .addMod(colour(shown))
        .setLabel(label(shown));
  }

  private static Mod colour(PortStatus shown) {
    if (!shown.congested()) {
      return YELLOW;
    }
    return shown.ceShare() >= MARKED ? RED : ORANGE;
  }

  private static String label(PortStatus shown) {
    String load =
        MegabitRate.rounded(shown.loadBitsPerSecond()).toPlainString()
            + " of "
            + MegabitRate.measured(shown.capacityBitsPerSecond());
    return shown.congested() ? load + ", " + Math.round(100 * shown.ceShare()) + " % marked" : load;
  }
}
