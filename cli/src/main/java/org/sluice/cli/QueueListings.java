// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.queue.ActiveCap;
import org.sluice.api.queue.BackgroundFlow;
import org.sluice.api.queue.BackgroundQueueStatus;
import org.sluice.api.queue.LevelQueue;
import org.sluice.api.queue.PortQueues;

/** How queues, background flows and caps are listed. */
final class QueueListings {
  /** One queue of a port, or all of those of a port that does not distinguish them. */
  static final class Row {
    private final PortQueues of;
    private final String queue;
    private final long backlogPackets;
    private final Long sentBitsPerSecond;
    private final Long capBitsPerSecond;
    private final Long droppedPackets;

    private Row(PortQueues of) {
      this.of = of;
      queue = "all";
      backlogPackets = of.backlogPackets();
      sentBitsPerSecond = null;
      capBitsPerSecond = null;
      droppedPackets = null;
    }

    private Row(PortQueues of, LevelQueue level) {
      this.of = of;
      queue = "level " + level.level();
      backlogPackets = level.backlogPackets();
      sentBitsPerSecond = level.sentBitsPerSecond();
      capBitsPerSecond = null;
      droppedPackets = level.droppedPackets();
    }

    private Row(PortQueues of, BackgroundQueueStatus background, Function<PortId, String> label) {
      this.of = of;
      queue = "to " + label.apply(background.downstream());
      backlogPackets = background.backlogPackets();
      sentBitsPerSecond = background.sentBitsPerSecond();
      capBitsPerSecond = Listings.orNone(background.capBitsPerSecond());
      droppedPackets = null;
    }
  }

  private QueueListings() {}

  /** How queues are listed, a row each; ports by what operators call them. */
  static Listing<Row> queues(Function<PortId, String> label) {
    return new Listing<Row>("queues")
        .column("port", "PORT", row -> label.apply(row.of.port()))
        .column("queue", "QUEUE", row -> row.queue)
        .column("backlogPackets", "BACKLOG packets", row -> row.backlogPackets)
        .column("errorPackets", "ERROR packets", row -> row.of.errorPackets())
        .column("thresholdPackets", "TH packets", row -> orNone(row.of.thresholdPackets()))
        .rate("sentBitsPerSecond", "SENT Mbit/s", row -> row.sentBitsPerSecond)
        .rate("capBitsPerSecond", "CAP Mbit/s", row -> row.capBitsPerSecond)
        .column("droppedPackets", "DROPPED packets", row -> row.droppedPackets)
        .column("lengthsFrom", "LENGTHS FROM", row -> text(row.of.source()))
        .column("ageMillis", "AGE ms", row -> row.of.ageMillis());
  }

  /** How background flows are listed; the table has ports by what operators call them. */
  static Listing<BackgroundFlow> flows(Function<PortId, String> label) {
    return new Listing<BackgroundFlow>("flows", "background flows")
        .column(
            "source",
            "SOURCE",
            f -> f.flow().source().toString(),
            f -> FlowSyntax.end(f.flow().source(), f.flow().sourcePort()))
        .jsonColumn("sourcePort", f -> f.flow().sourcePort())
        .column(
            "destination",
            "DESTINATION",
            f -> f.flow().destination().toString(),
            f -> FlowSyntax.end(f.flow().destination(), f.flow().destinationPort()))
        .jsonColumn("destinationPort", f -> f.flow().destinationPort())
        .column("endpoint", "ENDPOINT", f -> f.endpoint().map(EndpointId::toString).orElse(null))
        .column("tenant", "TENANT", f -> f.tenant().map(TenantId::name).orElse(null))
        .column("sizeFrom", "SIZE FROM", f -> text(f.source()))
        .column("sentBytes", "SENT bytes", BackgroundFlow::sentBytes)
        .rate("sentBitsPerSecond", "SENT Mbit/s", BackgroundFlow::sentBitsPerSecond)
        .column("ageMillis", "AGE ms", BackgroundFlow::ageMillis)
        .column(
            "ports", "PORTS", f -> each(f.ports(), PortId::toString), f -> each(f.ports(), label));
  }

  /** How caps are listed; the table has ports by what operators call them. */
  static Listing<ActiveCap> caps(Function<PortId, String> label) {
    return new Listing<ActiveCap>("caps")
        .column(
            "upstream", "UPSTREAM", c -> c.upstream().toString(), c -> label.apply(c.upstream()))
        .column(
            "downstream",
            "DOWNSTREAM",
            c -> c.downstream().toString(),
            c -> label.apply(c.downstream()))
        .rate("capBitsPerSecond", "CAP Mbit/s", ActiveCap::bitsPerSecond)
        .column("enforcer", "ENFORCER", c -> text(c.enforcer()))
        .column("queuePackets", "QUEUE packets", ActiveCap::queuePackets)
        .column("thresholdPackets", "TH packets", ActiveCap::thresholdPackets)
        .column("alpha", "ALPHA", c -> Listings.plain(c.alpha()))
        .column("beta", "BETA", c -> Listings.plain(c.beta()))
        .rate("floorBitsPerSecond", "FLOOR Mbit/s", c -> Listings.orNone(c.floorBitsPerSecond()))
        .column("flows", "FLOWS", ActiveCap::flows)
        .column("endsInMillis", "ENDS IN ms", ActiveCap::endsInMillis);
  }

  private static List<String> each(List<PortId> ports, Function<PortId, String> label) {
    return ports.stream().map(label).collect(Collectors.toList());
  }

  /** Levels first, then what the last one is divided into. */
  static List<Row> rows(List<PortQueues> ports, Function<PortId, String> label) {
    List<Row> rows = new ArrayList<>();
    for (PortQueues port : ports) {
      if (port.levels().isEmpty()) {
        rows.add(new Row(port));
      }
      port.levels().forEach(level -> rows.add(new Row(port, level)));
      port.background().forEach(queue -> rows.add(new Row(port, queue, label)));
    }
    return rows;
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** 0 stands for unknown or unused. */
  private static Integer orNone(int packets) {
    return packets == 0 ? null : packets;
  }
}
