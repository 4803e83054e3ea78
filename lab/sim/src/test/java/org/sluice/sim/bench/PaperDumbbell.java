// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.bench;

import org.sluice.api.Law;
import org.sluice.core.setting.SettingTable;
import org.sluice.sim.agent.LevelParameters;
import org.sluice.sim.deployment.LevelQueueParameters;
import org.sluice.sim.deployment.SluiceDeployment;
import org.sluice.sim.deployment.SluiceParameters;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.queue.RedParameters;
import org.sluice.sim.shim.deadline.SedSettings;
import org.sluice.sim.topology.Dumbbell;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.transport.CongestionControls;
import org.sluice.sim.transport.Flow;
import org.sluice.sim.transport.SendingPattern;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;
import org.sluice.sim.transport.UdpFlow;

/**
 * The SDN-GCC paper's network (section VIII): 1 Gbit/s, RTT 100 us, 100 packets of buffer, marks
 * from 20 on; one TCP NewReno flow and three competitors, all active from the start.
 */
final class PaperDumbbell {
  private static final long RATE = 1_000_000_000L;
  private static final int ROOM = 100;
  private static final int THRESHOLD = 20;
  private static final int PACKET_BYTES = 1500;

  /**
   * A sixth of half a round trip, less what serialisation takes of it: three links in each
   * direction.
   */
  private static final long LINK_DELAY_NANOS = 10_000;

  /** What runs beside the traffic. */
  enum Installed {
    NOTHING("nothing", null),
    SLUICE("sluice", SluiceParameters.builder()),
    SDN_GCC("sdn-gcc", SluiceParameters.builder().set(SettingTable.LAW, Law.SDN_GCC)),
    WHOLE_PRODUCT(
        "law, deadlines, levels",
        SluiceParameters.builder()
            .portAgents(true)
            .deadlines(SedSettings.DEFAULTS)
            .levels(LevelParameters.DEFAULTS, LevelQueueParameters.DEFAULTS));

    private final String label;
    private final SluiceParameters parameters;

    Installed(String label, SluiceParameters.Builder parameters) {
      this.label = label;
      this.parameters = parameters == null ? null : parameters.build();
    }

    String label() {
      return label;
    }
  }

  /** What the others send. */
  enum Competitor {
    DCTCP("DCTCP"),
    UDP("UDP");

    private final String label;

    Competitor(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  private final Scheduler scheduler = new Scheduler();
  private final Network network;

  PaperDumbbell(Installed installed, Competitor competitor, long seed) {
    network = new Network(scheduler, new RandomStreams(seed));
    LinkParameters link = new LinkParameters(RATE, LINK_DELAY_NANOS, 0);
    LinkPlan access = LinkPlan.symmetric(link, QueueFactory.dropTail(10 * ROOM));
    LinkPlan middle =
        new LinkPlan(
            link,
            QueueFactory.red(RedParameters.step(ROOM, THRESHOLD, RedParameters.NonEct.DROP)),
            QueueFactory.dropTail(10 * ROOM));
    Dumbbell dumbbell = Dumbbell.build(network, 4, 4, access, middle);
    for (int i = 0; i < 4; i++) {
      flow(dumbbell, i, i == 0 ? null : competitor).start(i * 1_000L);
    }
    if (installed.parameters != null) {
      SluiceDeployment.install(network, installed.parameters);
    }
  }

  private Flow flow(Dumbbell dumbbell, int number, Competitor competitor) {
    var from = dumbbell.senders().get(number);
    var to = dumbbell.receivers().get(number);
    String name = "flow" + number;
    if (competitor == Competitor.UDP) {
      return new UdpFlow(network, name, from, to, RATE, PACKET_BYTES, SendingPattern.CONSTANT);
    }
    CongestionControls control =
        competitor == null ? CongestionControls.NEW_RENO : CongestionControls.DCTCP;
    TcpParameters parameters = TcpParameters.builder().congestionControl(control).build();
    return new TcpFlow(network, name, from, to, parameters, TcpFlow.ENDLESS);
  }

  void runUntil(long nanos) {
    scheduler.runUntil(nanos);
  }

  long packetHops() {
    return network.packetHops();
  }

  long events() {
    return scheduler.fired();
  }
}
