// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The part of a Kubernetes API server that is used, with its answers as a real one gives them. */
final class RecordedApi implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, ObjectNode> objects = new TreeMap<>();
  private final List<OutputStream> watches = new CopyOnWriteArrayList<>();
  final List<String> requests = new CopyOnWriteArrayList<>();
  private int version = 100;

  /** The next watches are answered so: their version is too old. */
  volatile boolean isGone;

  /** No request is served. */
  volatile boolean isAway;

  RecordedApi() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/apis/sluice.org/v1alpha1/", this::handle);
    server.start();
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private void handle(HttpExchange exchange) throws IOException {
    String query = String.valueOf(exchange.getRequestURI().getRawQuery());
    String path = exchange.getRequestURI().getPath();
    requests.add(
        exchange.getRequestMethod()
            + " "
            + path
            + "?"
            + query
            + " "
            + exchange.getRequestHeaders().getFirst("Authorization"));
    if (isAway) {
      answer(exchange, 503, status(503, "ServiceUnavailable", "away"));
      return;
    }
    if (exchange.getRequestMethod().equals("PATCH")) {
      String namespace = path.split("/")[5];
      synchronized (this) {
        ObjectNode object = objects.get(namespace);
        if (object == null) {
          answer(exchange, 404, status(404, "NotFound", "tenantbandwidths \"default\" not found"));
          return;
        }
        JsonNode patch = MAPPER.readTree(exchange.getRequestBody());
        object.set("status", patch.path("status"));
        answer(exchange, 200, object);
        changed("MODIFIED", object);
      }
    } else if (!query.contains("watch=1")) {
      synchronized (this) {
        ObjectNode list =
            MAPPER
                .createObjectNode()
                .put("apiVersion", "sluice.org/v1alpha1")
                .put("kind", "TenantBandwidthList");
        // One to a page.
        int page = query.contains("continue=") ? Integer.parseInt(query.split("continue=")[1]) : 0;
        objects.values().stream().skip(page).limit(1).forEach(list.putArray("items")::add);
        ObjectNode metadata = list.putObject("metadata").put("resourceVersion", "" + version);
        if (page + 1 < objects.size()) {
          metadata.put("continue", "" + (page + 1));
        }
        answer(exchange, 200, list);
      }
    } else if (isGone) {
      isGone = false;
      exchange.sendResponseHeaders(200, 0);
      send(
          exchange.getResponseBody(),
          event("ERROR", status(410, "Expired", "too old resource version: 1 (2)")));
      exchange.close();
    } else {
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().flush();
      watches.add(exchange.getResponseBody());
    }
  }

  private static void answer(HttpExchange exchange, int status, JsonNode body) throws IOException {
    byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static ObjectNode status(int code, String reason, String message) {
    return MAPPER
        .createObjectNode()
        .put("kind", "Status")
        .put("apiVersion", "v1")
        .put("status", "Failure")
        .put("message", message)
        .put("reason", reason)
        .put("code", code);
  }

  private static ObjectNode event(String type, JsonNode object) {
    return MAPPER.createObjectNode().put("type", type).set("object", object);
  }

  private static void send(OutputStream to, JsonNode event) throws IOException {
    to.write((event + "\n").getBytes(StandardCharsets.UTF_8));
    to.flush();
  }

  private void changed(String type, ObjectNode object) {
    ((ObjectNode) object.path("metadata")).put("resourceVersion", "" + ++version);
    watches.removeIf(watch -> !isSent(watch, event(type, object)));
  }

  private static boolean isSent(OutputStream to, JsonNode event) {
    try {
      send(to, event);
      return true;
    } catch (IOException e) {
      return false; // nobody listens any more
    }
  }

  synchronized void put(String namespace, String spec) throws IOException {
    ObjectNode before = objects.get(namespace);
    ObjectNode object = before == null ? MAPPER.createObjectNode() : before;
    object.put("apiVersion", "sluice.org/v1alpha1").put("kind", "TenantBandwidth");
    object
        .withObject("/metadata")
        .put("namespace", namespace)
        .put("name", "default")
        .put("generation", object.at("/metadata/generation").asLong() + 1);
    object.set("spec", MAPPER.readTree(spec));
    objects.put(namespace, object);
    changed(before == null ? "ADDED" : "MODIFIED", object);
  }

  synchronized void delete(String namespace) {
    changed("DELETED", objects.remove(namespace));
  }

  synchronized void bookmark() {
    ObjectNode object = MAPPER.createObjectNode().put("kind", "TenantBandwidth");
    object.putObject("metadata");
    changed("BOOKMARK", object);
  }

  synchronized int version() {
    return version;
  }

  int watches() {
    return watches.size();
  }

  /** Ends all watches, as a server does that is restarted. */
  synchronized void endWatches() throws IOException {
    for (OutputStream watch : watches) {
      watch.close();
    }
    watches.clear();
  }

  synchronized JsonNode status(String namespace) {
    return objects.get(namespace).path("status").deepCopy();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
