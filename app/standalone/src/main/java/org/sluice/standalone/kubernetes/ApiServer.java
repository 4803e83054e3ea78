// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The API of a Kubernetes cluster, by a service account. */
final class ApiServer {
  static final int GONE = 410;
  private static final int OK = 200;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final URI server;
  private final Optional<Path> token;
  private final HttpClient client;

  /** Takes what a watch brings, one after the other, on a thread of the client's. */
  interface Events {
    /** Why a watch has ended that has not failed. */
    IOException SERVER_ENDED_IT = new IOException("the server has ended it");

    /** The server has begun to answer. */
    void opened();

    void event(JsonNode event);

    /** There will be no more. */
    void ended(Throwable reason);
  }

  /** Another answer than it should be. */
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;
    final int status;

    RefusedException(int status, String message) {
      super(message);
      this.status = status;
    }
  }

  /**
   * The API at an address.
   *
   * @param token a file with the account's token, read anew for every request as it is renewed
   * @param trust a PEM file with the authority of the server's certificate
   * @throws IOException if trust cannot be read
   */
  ApiServer(URI server, Optional<Path> token, Optional<Path> trust) throws IOException {
    this.server = server;
    this.token = token;
    HttpClient.Builder builder =
        HttpClient.newBuilder().connectTimeout(TIMEOUT).version(HttpClient.Version.HTTP_1_1);
    if (trust.isPresent()) {
      builder.sslContext(trusting(trust.get()));
    }
    client = builder.build();
  }

  private static SSLContext trusting(Path file) throws IOException {
    try (InputStream pem = Files.newInputStream(file)) {
      KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
      authorities.load(null, null);
      int number = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        authorities.setCertificateEntry("authority" + number++, one);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(authorities);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("kubernetes.trust: '" + file + "' has no certificates: " + e, e);
    }
  }

  JsonNode get(String path) throws IOException, InterruptedException {
    HttpResponse<InputStream> response =
        client.send(request(path).timeout(TIMEOUT).build(), BodyHandlers.ofInputStream());
    try (InputStream body = response.body()) {
      return read(path, response.statusCode(), body);
    }
  }

  /** Changes an object by a merge patch. */
  void patch(String path, ObjectNode change) throws IOException, InterruptedException {
    HttpResponse<InputStream> response = send("PATCH", path, change);
    try (InputStream body = response.body()) {
      read(path, response.statusCode(), body);
    }
  }

  HttpResponse<InputStream> send(String method, String path, ObjectNode body)
      throws IOException, InterruptedException {
    String type = method.equals("PATCH") ? "merge-patch+json" : "json";
    return client.send(
        request(path)
            .timeout(TIMEOUT)
            .header("Content-Type", "application/" + type)
            .method(method, BodyPublishers.ofString(body.toString()))
            .build(),
        BodyHandlers.ofInputStream());
  }

  private static JsonNode read(String path, int status, InputStream body) throws IOException {
    JsonNode answer = MAPPER.readTree(body);
    if (status != OK) {
      throw new RefusedException(
          status, path + ": " + status + " " + answer.path("message").asText());
    }
    return answer;
  }

  /**
   * Follows a list.
   *
   * @return ends it
   */
  Runnable watch(String path, Events events) throws IOException {
    Lines lines = new Lines(events);
    CompletableFuture<?> watching =
        client.sendAsync(
            request(path).build(),
            response ->
                response.statusCode() == OK
                    ? BodySubscribers.fromLineSubscriber(lines)
                    : BodySubscribers.mapping(
                        BodySubscribers.replacing(null),
                        nothing -> {
                          lines.onError(
                              new RefusedException(
                                  response.statusCode(), path + ": " + response.statusCode()));
                          return null;
                        }));
    watching.whenComplete(
        (response, failure) -> {
          if (failure != null) {
            lines.onError(failure);
          }
        });
    return () -> {
      lines.cancel();
      watching.cancel(true);
    };
  }

  private HttpRequest.Builder request(String path) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve(path)).header("Accept", "application/json");
    if (token.isPresent()) {
      request.header("Authorization", "Bearer " + Files.readString(token.get()).strip());
    }
    return request;
  }

  /** A line is an event. */
  private static final class Lines implements Flow.Subscriber<String> {
    private final Events events;
    private Flow.Subscription subscription;
    private boolean ended;

    Lines(Events events) {
      this.events = events;
    }

    @Override
    public synchronized void onSubscribe(Flow.Subscription given) {
      subscription = given;
      if (ended) {
        given.cancel();
      } else {
        events.opened();
        given.request(Long.MAX_VALUE);
      }
    }

    @Override
    public void onNext(String line) {
      try {
        events.event(MAPPER.readTree(line));
      } catch (IOException e) {
        cancel();
        end(e);
      }
    }

    @Override
    public void onError(Throwable failure) {
      end(failure);
    }

    @Override
    public void onComplete() {
      end(Events.SERVER_ENDED_IT);
    }

    private void end(Throwable reason) {
      synchronized (this) {
        if (ended) {
          return;
        }
        ended = true;
      }
      events.ended(reason);
    }

    synchronized void cancel() {
      ended = true;
      if (subscription != null) {
        subscription.cancel();
      }
    }
  }
}
