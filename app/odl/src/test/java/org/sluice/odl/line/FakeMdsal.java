// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.line;

import com.google.common.util.concurrent.ListenableFuture;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.api.ReadTransaction;
import org.opendaylight.mdsal.binding.api.RpcConsumerRegistry;
import org.opendaylight.yang.gen.v1.urn.opendaylight.packet.service.rev130709.PacketReceived;
import org.opendaylight.yangtools.concepts.Registration;

/** MD-SAL whose services are functions of a test's, on every line. */
public final class FakeMdsal extends Mdsal {
  private final List<Consumer<PacketReceived>> packetListeners = new ArrayList<>();

  /**
   * An MD-SAL.
   *
   * @param services answers the input of whatever RPC is called
   * @param datastore answers the path of whatever is read
   */
  public FakeMdsal(
      Function<Object, ListenableFuture<?>> services, Function<Object, Object> datastore) {
    rpcs =
        proxy(
            RpcConsumerRegistry.class,
            (registry, method, types) ->
                proxy((Class<?>) types[0], (service, call, inputs) -> services.apply(inputs[0])));
    broker =
        proxy(
            DataBroker.class,
            (self, method, none) ->
                proxy(
                    ReadTransaction.class,
                    (transaction, call, inputs) ->
                        call.getName().equals("read") ? datastore.apply(inputs[1]) : null));
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Override
  public Registration listenToPackets(Consumer<PacketReceived> listener) {
    packetListeners.add(listener);
    return () -> packetListeners.remove(listener);
  }

  /** A switch sends a packet to the controller. */
  public void receive(PacketReceived packet) {
    packetListeners.forEach(listener -> listener.accept(packet));
  }
}
