// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.line;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import java.util.Collection;
import java.util.function.Consumer;
import org.opendaylight.mdsal.binding.api.DataTreeModification;
import org.opendaylight.mdsal.binding.api.RpcService;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.mdsal.singleton.api.ClusterSingletonService;
import org.opendaylight.mdsal.singleton.api.ClusterSingletonServiceProvider;
import org.opendaylight.mdsal.singleton.api.ServiceGroupIdentifier;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeConnectorRef;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeRef;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.node.NodeConnector;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.binding.DataObject;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.binding.DataObjectIdentifier;
import org.opendaylight.yangtools.binding.Rpc;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.sluice.odl.SharedMdsal;
import org.sluice.odl.Singleton;

/** OpenDaylight's MD-SAL, as far as it is written differently for 0.20 and for earlier lines. */
@Component(service = Mdsal.class)
public class Mdsal extends SharedMdsal {
  @Reference RpcService rpcs;
  @Reference ClusterSingletonServiceProvider singletons;

  /** An RPC; it goes to the node whose switch its input names. */
  public <R extends Rpc<?, ?>> R rpc(Class<R> type) {
    return rpcs.getRpc(type);
  }

  /** Receives every change below a path on this node, whichever node made it. */
  public <T extends DataObject> Registration listen(
      LogicalDatastoreType store,
      InstanceIdentifier<T> path,
      Consumer<Collection<DataTreeModification<T>>> listener) {
    return broker().registerTreeChangeListener(store, path, listener::accept);
  }

  /** Runs for a place that one node of the cluster has. */
  public Registration candidate(Singleton singleton) {
    ServiceGroupIdentifier group = new ServiceGroupIdentifier(singleton.name());
    return singletons.registerClusterSingletonService(
        new ClusterSingletonService() {
          @Override
          public ServiceGroupIdentifier getIdentifier() {
            return group;
          }

          @Override
          public void instantiateServiceInstance() {
            singleton.won();
          }

          @Override
          public ListenableFuture<?> closeServiceInstance() {
            singleton.lost();
            return Futures.immediateVoidFuture();
          }
        });
  }

  public static NodeRef reference(
      InstanceIdentifier<
              org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.Node>
          node) {
    return new NodeRef(node.toIdentifier());
  }

  public static NodeConnectorRef connectorReference(InstanceIdentifier<NodeConnector> connector) {
    return new NodeConnectorRef(connector.toIdentifier());
  }

  /** The connector's id, {@code openflow:1:2}. */
  public static String connectorId(NodeConnectorRef reference) {
    return ((DataObjectIdentifier<?>) reference.getValue())
        .getFirstKeyOf(NodeConnector.class)
        .getId()
        .getValue();
  }
}
