// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.sluice.agentlink.proto.AgentLinkServiceGrpc;
import org.sluice.agentlink.proto.AgentMessage;
import org.sluice.agentlink.proto.ControllerMessage;
import org.sluice.agentlink.proto.Endpoint;
import org.sluice.agentlink.proto.Hello;
import org.sluice.agentlink.proto.Nic;

/** Plays an agent: one session over its own connection. */
final class TestAgent implements AutoCloseable {
  static final long PATIENCE_SECONDS = 10;
  static final ByteString MAC = ByteString.copyFrom(new byte[] {2, 0, 0, 0, 1, 1});
  static final ByteString OWN_IP = ip(10, 0, 0, 1);

  private final ManagedChannel connection;
  private final BlockingQueue<ControllerMessage> received = new LinkedBlockingQueue<>();
  private final CompletableFuture<Status> end = new CompletableFuture<>();
  private ClientCallStreamObserver<AgentMessage> call;
  private long sequence;

  /** Connects; an identity of null presents no certificate. */
  TestAgent(int port, Path authority, TestPki.Identity identity, boolean reads) {
    try {
      SslContextBuilder tls = GrpcSslContexts.forClient().trustManager(authority.toFile());
      if (identity != null) {
        tls.keyManager(identity.certificate.toFile(), identity.key.toFile());
      }
      connection =
          NettyChannelBuilder.forAddress("127.0.0.1", port)
              .sslContext(tls.build())
              .flowControlWindow(65_535)
              .build();
    } catch (SSLException e) {
      throw new IllegalStateException(e);
    }
    AgentLinkServiceGrpc.newStub(connection).session(new Inbox(reads));
  }

  private final class Inbox implements ClientResponseObserver<AgentMessage, ControllerMessage> {
    private final boolean reads;

    private Inbox(boolean reads) {
      this.reads = reads;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<AgentMessage> stream) {
      call = stream;
      if (!reads) {
        stream.disableAutoRequestWithInitial(1);
      }
    }

    @Override
    public void onNext(ControllerMessage message) {
      received.add(message);
    }

    @Override
    public void onError(Throwable error) {
      end.complete(Status.fromThrowable(error));
    }

    @Override
    public void onCompleted() {
      end.complete(Status.OK);
    }
  }

  void send(AgentMessage.Builder message) {
    call.onNext(message.setInstance(7).setSequence(++sequence).build());
  }

  /** Sends under the last message's sequence once more. */
  void repeat(AgentMessage.Builder message) {
    call.onNext(message.setInstance(7).setSequence(sequence).build());
  }

  boolean isEnded() {
    return end.isDone();
  }

  /** Reads on, after having stopped. */
  void request(int messages) {
    call.request(messages);
  }

  void hangUp() {
    call.onCompleted();
  }

  void abort() {
    call.cancel("gone", null);
  }

  ControllerMessage next() throws Exception {
    ControllerMessage message = received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (message == null) {
      throw new AssertionError(
          "nothing came; session " + (end.isDone() ? "ended: " + end.get() : "is open"));
    }
    return message;
  }

  /** The next message of this kind; others before it are skipped. */
  ControllerMessage next(ControllerMessage.BodyCase kind) throws Exception {
    ControllerMessage message = next();
    while (message.getBodyCase() != kind) {
      message = next();
    }
    return message;
  }

  Status end() throws Exception {
    return end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    connection.shutdownNow();
  }

  static AgentMessage.Builder hello(String host) {
    return AgentMessage.newBuilder().setHello(helloBody(host));
  }

  static Hello.Builder helloBody(String host) {
    return Hello.newBuilder()
        .setProtocolVersion(1)
        .setHost(host)
        .setAgentVersion("1.2.3")
        .setUplink(
            Nic.newBuilder().setInterface("up0").setMac(MAC).setCapacityBitsPerSecond(50_000_000))
        .addEndpoints(Endpoint.newBuilder().setInterface("vm0").setMac(MAC).addIps(OWN_IP));
  }

  static ByteString ip(int a, int b, int c, int d) {
    return ByteString.copyFrom(new byte[] {(byte) a, (byte) b, (byte) c, (byte) d});
  }
}
