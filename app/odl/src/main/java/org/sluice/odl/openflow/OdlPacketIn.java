// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.PacketReceived;
import org.opendaylight.yangtools.concepts.Registration;
import org.sluice.forwarding.spi.PacketIn;
import org.sluice.odl.Datapaths;
import org.sluice.odl.line.Mdsal;

/** Packet-ins as openflowplugin announces them to everybody. */
public final class OdlPacketIn implements PacketIn {
  private final Mdsal mdsal;
  private final SwitchTables tables;
  private final Map<Listener, Stage> listeners = new ConcurrentHashMap<>();
  private Registration registration;

  /** Receives nothing yet. */
  public OdlPacketIn(Mdsal mdsal, SwitchTables tables) {
    this.mdsal = mdsal;
    this.tables = tables;
  }

  public void start() {
    registration = mdsal.listenToPackets(this::received);
  }

  public void stop() {
    registration.close();
  }

  private void received(PacketReceived from) {
    if (from.getIngress() == null || from.getPayload() == null) {
      return;
    }
    OptionalLong cookie =
        from.getFlowCookie() == null
            ? OptionalLong.empty()
            : OptionalLong.of(from.getFlowCookie().getValue().longValue());
    Datapaths.port(Mdsal.connectorId(from.getIngress()))
        .map(port -> Packet.of(port, from.getPayload(), cookie))
        .filter(packet -> !offer(Stage.COPIES, packet))
        .ifPresent(packet -> offer(Stage.UNKNOWN, packet));
  }

  private boolean offer(Stage stage, Packet packet) {
    for (Map.Entry<Listener, Stage> each : listeners.entrySet()) {
      if (each.getValue() == stage && each.getKey().received(packet)) {
        return true;
      }
    }
    return false;
  }

  boolean hasListeners() {
    return !listeners.isEmpty();
  }

  @Override
  public void addListener(Stage stage, Listener listener) {
    listeners.put(listener, stage);
  }

  @Override
  public void removeListener(Listener listener) {
    listeners.remove(listener);
  }

  @Override
  public void requestArp() {
    tables.puntArp(true);
  }

  @Override
  public void cancelArp() {
    tables.puntArp(false);
  }
}
