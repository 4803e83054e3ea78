// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl;

import java.util.function.Consumer;
import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.api.NotificationService;
import org.opendaylight.openflowplugin.api.openflow.device.DeviceInfo;
import org.opendaylight.openflowplugin.api.openflow.mastership.MastershipChangeService;
import org.opendaylight.openflowplugin.api.openflow.mastership.MastershipChangeServiceManager;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.PacketReceived;
import org.opendaylight.yangtools.concepts.Registration;
import org.osgi.service.component.annotations.Reference;

/** OpenDaylight's MD-SAL, as far as it is written alike for all lines. */
public abstract class SharedMdsal {
  @Reference protected DataBroker broker;
  @Reference protected NotificationService notifications;
  @Reference protected MastershipChangeServiceManager masterships;

  public DataBroker broker() {
    return broker;
  }

  /** Receives packets that switches send to this node. */
  public Registration listenToPackets(Consumer<PacketReceived> listener) {
    return notifications.registerListener(PacketReceived.class, listener::accept);
  }

  /** Has somebody notified of which switches this node is the master, those of now first. */
  public AutoCloseable listenToOwnership(Ownership listener) {
    return masterships.register(
        new MastershipChangeService() {
          @Override
          public void onBecomeOwner(DeviceInfo device) {
            listener.won(device.getNodeId().getValue());
          }

          @Override
          public void onLoseOwnership(DeviceInfo device) {
            listener.lost(device.getNodeId().getValue());
          }

          /** The manager's end, in lines before 0.20; ours is the registration's. */
          @SuppressWarnings("MissingOverride")
          public void close() {
            // Nothing to do.
          }
        });
  }
}
