// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.sluice.engine.law.DaDctcpLaw;
import org.sluice.engine.law.ThresholdDivision;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.platform.ControlChannel;
import org.sluice.sim.platform.ControlChannels;
import org.sluice.sim.queue.DividedQueues;

/**
 * DA-DCTCP's controller: it polls each switch for the lengths of its queues, and divides their
 * marking thresholds anew. Each of the three messages of a division takes its time.
 */
public final class DaDctcpDeployment implements ControlTraffic {
  private final Network network;
  private final DaDctcpSettings settings;
  private final ControlChannels channels;
  private final ThresholdDivision division;
  private long divisions;

  private DaDctcpDeployment(Network network, DaDctcpSettings settings, ChannelParameters channel) {
    this.network = network;
    this.settings = settings;
    this.channels = new ControlChannels(network, channel);
    this.division = new ThresholdDivision(settings.leastPackets(), settings.mostPackets());
    SplittableRandom random = network.random().stream("da-dctcp readings");
    for (Switch owner : network.switches()) {
      List<DividedQueues> ports = dividedPorts(owner);
      if (ports.isEmpty()) {
        continue;
      }
      Reading reading = new Reading(owner, groups(ports));
      network.scheduler().armIn(reading, random.nextLong(settings.periodNanos()));
    }
  }

  /** Begins to divide the thresholds of all {@link DividedQueues} of switches. */
  public static DaDctcpDeployment install(
      Network network, DaDctcpSettings settings, ChannelParameters channel) {
    return new DaDctcpDeployment(network, settings, channel);
  }

  private static List<DividedQueues> dividedPorts(Switch owner) {
    List<DividedQueues> found = new ArrayList<>();
    for (Port port : owner.ports()) {
      if (port.queue() instanceof DividedQueues queues) {
        found.add(queues);
      }
    }
    return found;
  }

  private List<Group> groups(List<DividedQueues> ports) {
    return settings.scope() == DaDctcpSettings.Scope.SWITCH
        ? List.of(new Group(ports))
        : ports.stream().map(port -> new Group(List.of(port))).toList();
  }

  @Override
  public long controllerMessages() {
    return channels.sent();
  }

  @Override
  public long hostMessages() {
    return 0;
  }

  /** How often a budget was divided. */
  public long divisions() {
    return divisions;
  }

  /** Queues that share a budget, as the switch has them and as the controller knows them. */
  private final class Group {
    private final List<DividedQueues> ports;
    private final double[] thresholds;
    private final double[] averages;
    private final double budgetPackets;

    Group(List<DividedQueues> ports) {
      this.ports = ports;
      int count = ports.stream().mapToInt(DividedQueues::queues).sum();
      thresholds = new double[count];
      averages = new double[count];
      double sum = 0;
      int at = 0;
      for (DividedQueues port : ports) {
        for (int i = 0; i < port.queues(); i++) {
          thresholds[at++] = port.initialThresholdPackets();
          sum += port.initialThresholdPackets();
        }
      }
      budgetPackets = sum;
    }

    int[] lengths() {
      int[] lengths = new int[thresholds.length];
      int at = 0;
      for (DividedQueues port : ports) {
        for (int i = 0; i < port.queues(); i++) {
          lengths[at++] = port.packets(i);
        }
      }
      return lengths;
    }

    double[] divide(int[] lengths) {
      divisions++;
      for (int i = 0; i < lengths.length; i++) {
        averages[i] = DaDctcpLaw.average(averages[i], lengths[i], settings.averagingWeight());
      }
      division.divide(lengths, averages, thresholds, budgetPackets);
      return thresholds.clone();
    }

    void apply(double[] divided) {
      int at = 0;
      for (DividedQueues port : ports) {
        for (int i = 0; i < port.queues(); i++) {
          port.setThresholdPackets(i, divided[at++]);
        }
      }
    }
  }

  /** A switch is polled, replies, and is sent thresholds. */
  private final class Reading extends Event {
    private final ControlChannel down;
    private final ControlChannel up;
    private final List<Group> groups;

    Reading(Switch owner, List<Group> groups) {
      this.down = channels.open("da-dctcp down " + owner.name());
      this.up = channels.open("da-dctcp up " + owner.name());
      this.groups = groups;
    }

    @Override
    protected void fire() {
      down.send(this::answer);
      network.scheduler().armIn(this, settings.periodNanos());
    }

    private void answer() {
      for (Group group : groups) {
        int[] lengths = group.lengths();
        up.send(() -> divide(group, lengths));
      }
    }

    private void divide(Group group, int[] lengths) {
      double[] divided = group.divide(lengths);
      down.send(() -> group.apply(divided));
    }
  }
}
