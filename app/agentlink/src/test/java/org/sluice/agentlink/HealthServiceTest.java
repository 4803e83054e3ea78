// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sluice.agentlink.HealthMessages.ServingStatus;

/** The health of the link, over mutual TLS. The agent's tests have another client of it. */
@Timeout(60)
class HealthServiceTest {
  private static final String LINK = "sluice.agentlink.v1.AgentLinkService";

  @TempDir Path directory;
  private TestLink link;
  private ManagedChannel channel;

  @BeforeEach
  void connect() throws Exception {
    link = new TestLink(directory);
    channel = channel(link.h1);
  }

  @AfterEach
  void close() {
    channel.shutdownNow();
    link.close();
  }

  private ManagedChannel channel(TestPki.Identity identity) throws Exception {
    SslContextBuilder tls = GrpcSslContexts.forClient().trustManager(link.pki.authority.toFile());
    if (identity != null) {
      tls.keyManager(identity.certificate.toFile(), identity.key.toFile());
    }
    return NettyChannelBuilder.forAddress("127.0.0.1", link.server.localPort())
        .sslContext(tls.build())
        .build();
  }

  private static ServingStatus check(ManagedChannel by, String service) {
    return ClientCalls.blockingUnaryCall(
        by,
        HealthService.CHECK,
        CallOptions.DEFAULT.withDeadlineAfter(10, TimeUnit.SECONDS),
        service);
  }

  private Iterator<ServingStatus> watch(String service) {
    return ClientCalls.blockingServerStreamingCall(
        channel, HealthService.WATCH, CallOptions.DEFAULT, service);
  }

  @Test
  void linkIsServingWhileItListens() {
    assertThat(check(channel, "")).isEqualTo(ServingStatus.SERVING);
    assertThat(check(channel, LINK)).isEqualTo(ServingStatus.SERVING);
    assertThat(catchThrowableOfType(StatusRuntimeException.class, () -> check(channel, "other")))
        .extracting(e -> e.getStatus().getCode())
        .isEqualTo(Status.Code.NOT_FOUND);
  }

  @Test
  void watcherReceivesTheEndOfService() {
    Iterator<ServingStatus> watched = watch(LINK);
    Iterator<ServingStatus> unknown = watch("other");
    assertThat(watched.next()).isEqualTo(ServingStatus.SERVING);
    assertThat(unknown.next()).isEqualTo(ServingStatus.SERVICE_UNKNOWN);
    link.close();
    assertThat(watched.next()).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(watched.hasNext()).isFalse();
    assertThat(unknown.hasNext()).isFalse();
  }

  @Test
  void clientWithoutCertificateIsRejected() throws Exception {
    ManagedChannel stranger = channel(null);
    try {
      assertThat(catchThrowableOfType(StatusRuntimeException.class, () -> check(stranger, "")))
          .extracting(e -> e.getStatus().getCode())
          .isEqualTo(Status.Code.UNAVAILABLE);
    } finally {
      stranger.shutdownNow();
    }
  }

  @Test
  void malformedMessageIsRejectedAndUnknownFieldsAreSkipped() {
    byte[] cut = {10, 9, 'a'};
    assertThat(
            catchThrowableOfType(
                StatusRuntimeException.class,
                () -> HealthMessages.REQUEST.parse(new ByteArrayInputStream(cut))))
        .extracting(e -> e.getStatus().getCode())
        .isEqualTo(Status.Code.INVALID_ARGUMENT);
    byte[] newer = {16, 1, 10, 1, 'a'};
    assertThat(HealthMessages.REQUEST.parse(new ByteArrayInputStream(newer))).isEqualTo("a");
    byte[] beyond = {8, 9};
    assertThat(HealthMessages.RESPONSE.parse(new ByteArrayInputStream(beyond)))
        .isEqualTo(ServingStatus.UNKNOWN);
  }
}
