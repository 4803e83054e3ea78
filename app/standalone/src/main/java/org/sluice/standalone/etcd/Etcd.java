// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdExceptionFactory;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.StorageUnavailableException;

/** A connection to etcd. Thread-safe. */
final class Etcd implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Etcd.class);

  /** Etcd drops who pings it more often than every 5 s. */
  private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(6);

  private static final Duration CONNECT = Duration.ofSeconds(3);

  /** So long without an answer. Left alone, a client would try again after up to two minutes. */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final EtcdSettings settings;
  private final long timeoutMillis;
  private volatile Client client;

  /** Some may wait for its answers yet; or the same one. */
  private Client previous;

  private volatile long answeredNanos;
  private boolean closed;

  /**
   * One that connects when it is used.
   *
   * @param timeoutMillis how long etcd may take to answer
   * @throws IOException if a file that the settings name cannot be read
   */
  Etcd(EtcdSettings settings, long timeoutMillis) throws IOException {
    this.settings = settings;
    this.timeoutMillis = timeoutMillis;
    client = made();
    previous = client;
    answeredNanos = System.nanoTime();
  }

  private Client made() throws IOException {
    ClientBuilder builder =
        Client.builder()
            .endpoints(settings.endpoints())
            .connectTimeout(CONNECT)
            .keepaliveTime(SIGN_OF_LIFE)
            .keepaliveTimeout(CONNECT)
            .keepaliveWithoutCalls(true)
            .waitForReady(false)
            // For a password's token that has run out.
            .retryMaxAttempts(1)
            .retryDelay(100)
            .retryMaxDelay(200)
            .interceptor(new Deadline());
    if (settings.user().isPresent()) {
      builder.user(bytes(settings.user().get()));
      builder.password(bytes(firstLine(settings.passwordFile().orElseThrow())));
    }
    if (settings.endpoints().stream().anyMatch(one -> "https".equals(one.getScheme()))) {
      builder.sslContext(this::secure);
    }
    return builder.build();
  }

  private static String firstLine(Path file) throws IOException {
    return Files.readString(file).lines().findFirst().orElse("");
  }

  private void secure(SslContextBuilder builder) {
    settings.trust().ifPresent(file -> builder.trustManager(file.toFile()));
    settings
        .certificate()
        .ifPresent(
            file -> builder.keyManager(file.toFile(), settings.key().orElseThrow().toFile()));
  }

  /** A write that nobody waits for any longer must not be made later. */
  private final class Deadline implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return next.newCall(
          method,
          "Watch".equals(method.getBareMethodName())
              ? options
              : options.withDeadlineAfter(timeoutMillis, TimeUnit.MILLISECONDS));
    }
  }

  static ByteSequence bytes(String text) {
    return ByteSequence.from(text, UTF_8);
  }

  /** To be had anew for each call. */
  Client client() {
    return client;
  }

  KV keys() {
    return client.getKVClient();
  }

  <T> T answer(CompletableFuture<T> call) {
    try {
      // The deadline comes first, but for calls that could not be made yet.
      T answer = call.get(2 * timeoutMillis, TimeUnit.MILLISECONDS);
      answeredNanos = System.nanoTime();
      return answer;
    } catch (ExecutionException e) {
      StorageUnavailableException failure = unavailable(e.getCause());
      if (code(failure) == ErrorCode.UNAVAILABLE) {
        renewClient();
      }
      throw failure;
    } catch (TimeoutException e) {
      throw unavailable(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable(e);
    }
  }

  /** What etcd said, or what stands for its silence. */
  static ErrorCode code(StorageUnavailableException failure) {
    return failure.getCause() instanceof TimeoutException
        ? ErrorCode.DEADLINE_EXCEEDED
        : EtcdExceptionFactory.toEtcdException(failure.getCause()).getErrorCode();
  }

  private synchronized void renewClient() {
    if (!closed && System.nanoTime() - answeredNanos > SILENCE_NANOS) {
      try {
        Client next = made();
        closePrevious();
        previous = client;
        client = next;
        answeredNanos = System.nanoTime();
      } catch (IOException e) {
        log.warn("The connection to etcd is kept as it is: {}", e.getMessage());
      }
    }
  }

  private void closePrevious() {
    if (previous != client) {
      previous.close();
    }
  }

  private StorageUnavailableException unavailable(Throwable cause) {
    return new StorageUnavailableException(
        "etcd at "
            + settings.endpoints()
            + " does not answer: "
            + (cause.getMessage() == null ? cause : cause.getMessage())
            + "; see that most of its members run and let this node in",
        cause);
  }

  @Override
  public synchronized void close() {
    closed = true;
    closePrevious();
    client.close();
  }
}
