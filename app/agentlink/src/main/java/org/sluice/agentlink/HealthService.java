// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.sluice.agentlink.HealthMessages.ServingStatus;
import org.sluice.agentlink.proto.AgentLinkServiceGrpc;

/**
 * Whether the link serves, as gRPC's health checking protocol (grpc.health.v1) has it: for load
 * balancers, probes and monitoring. It serves from its start until it is closed. Thread-safe.
 */
final class HealthService implements BindableService {
  static final String NAME = "grpc.health.v1.Health";

  /** The whole server, and the one service that it has beside this one. */
  static final Set<String> KNOWN = Set.of("", AgentLinkServiceGrpc.SERVICE_NAME);

  /** Who watches holds a call open: no more than this in all. */
  static final int MOST_WATCHERS = 1_000;

  static final MethodDescriptor<String, ServingStatus> CHECK = method("Check", MethodType.UNARY);
  static final MethodDescriptor<String, ServingStatus> WATCH =
      method("Watch", MethodType.SERVER_STREAMING);

  private final Map<StreamObserver<ServingStatus>, Boolean> watchers = new HashMap<>();
  private boolean closed;

  private static MethodDescriptor<String, ServingStatus> method(String name, MethodType type) {
    return MethodDescriptor.<String, ServingStatus>newBuilder()
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, name))
        .setRequestMarshaller(HealthMessages.REQUEST)
        .setResponseMarshaller(HealthMessages.RESPONSE)
        .build();
  }

  @Override
  public ServerServiceDefinition bindService() {
    return ServerServiceDefinition.builder(NAME)
        .addMethod(CHECK, ServerCalls.asyncUnaryCall(this::check))
        .addMethod(WATCH, ServerCalls.asyncServerStreamingCall(this::watch))
        .build();
  }

  private void check(String service, StreamObserver<ServingStatus> requester) {
    if (!KNOWN.contains(service)) {
      requester.onError(
          Status.NOT_FOUND.withDescription("there is no service " + service).asRuntimeException());
      return;
    }
    requester.onNext(status());
    requester.onCompleted();
  }

  private void watch(String service, StreamObserver<ServingStatus> watcher) {
    ((ServerCallStreamObserver<ServingStatus>) watcher).setOnCancelHandler(() -> forget(watcher));
    boolean known = KNOWN.contains(service);
    synchronized (this) {
      if (watchers.size() < MOST_WATCHERS) {
        watchers.put(watcher, known);
        watcher.onNext(known ? status() : ServingStatus.SERVICE_UNKNOWN);
        return;
      }
    }
    watcher.onError(
        Status.RESOURCE_EXHAUSTED
            .withDescription(MOST_WATCHERS + " watch already; use Check")
            .asRuntimeException());
  }

  private synchronized void forget(StreamObserver<ServingStatus> watcher) {
    watchers.remove(watcher);
  }

  private synchronized ServingStatus status() {
    return closed ? ServingStatus.NOT_SERVING : ServingStatus.SERVING;
  }

  /** It serves no longer: watchers receive that, and their calls end. */
  synchronized void close() {
    closed = true;
    watchers.forEach(
        (watcher, known) -> {
          if (known) {
            watcher.onNext(ServingStatus.NOT_SERVING);
          }
          watcher.onCompleted();
        });
    watchers.clear();
  }
}
