// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.BandwidthService;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointService;
import org.sluice.api.Finding;
import org.sluice.api.MegabitRate;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;

/**
 * Keeps tenants as the objects {@link TenantBandwidth} have them, while this node leads, and writes
 * into their status what is enforced. All but what the client hands in runs on one thread.
 */
public final class BandwidthController implements BandwidthService, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BandwidthController.class);
  private static final long TICK_MILLIS = 1000;

  /** Tenants that others changed are put right again so often, and refusals tried again. */
  private static final int TICKS_PER_REFRESH = 10;

  private static final int MOST_TICKS_BETWEEN_ATTEMPTS = 30;
  private static final int WATCH_SECONDS = 240;

  /** A server sends a bookmark about every minute; one that sends nothing for so long is gone. */
  private static final int MOST_SILENT_TICKS = 150;

  private static final int PAGE = 500;
  private static final String ENFORCED = "Enforced";
  private static final String AUTHOR = "Kubernetes";

  private final ApiServer server;
  private final TenantAdminService tenants;
  private final EndpointService endpoints;
  private final BooleanSupplier leads;
  private final ScheduledExecutorService thread;

  private final Map<String, TenantBandwidth> byNamespace = new TreeMap<>();

  /** Up to where the list is known; empty: it has to be read. */
  private String resourceVersion = "";

  /** Ends the watch; null: there is none. */
  private Runnable watch;

  /** The number of the watch: what an earlier one brings late is left out. */
  private int watches;

  private int ticks;
  private int nextAttempt;
  private int pause = 1;
  private int receivedAt;

  /** Why the API is away, and since when. */
  private record Away(Instant since, String reason) {}

  private volatile Optional<Away> away = Optional.empty();

  /**
   * A controller that begins at once.
   *
   * @param leads whether this node is the one to act
   * @param thread of this controller alone; ended with it
   */
  public BandwidthController(
      KubernetesAccess access,
      TenantAdminService tenants,
      EndpointService endpoints,
      BooleanSupplier leads,
      ScheduledExecutorService thread)
      throws IOException {
    server = new ApiServer(access.server(), access.token(), access.trust());
    this.tenants = tenants.by(AUTHOR);
    this.endpoints = endpoints;
    this.leads = leads;
    this.thread = thread;
    thread.scheduleWithFixedDelay(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    thread.execute(this::stop);
    thread.shutdown();
  }

  @Override
  public int tenants() {
    return (int)
        tenants.tenants().stream().filter(one -> TenantBandwidth.ownerOf(one).isPresent()).count();
  }

  @Override
  public Optional<Instant> awaySince() {
    return away.map(Away::since);
  }

  /** What an operator is to know while the API is away. */
  public Optional<Finding> finding() {
    return away.map(
        now ->
            Finding.of(
                Finding.Severity.ERROR,
                "kubernetes",
                "The API has been away since "
                    + now.since.truncatedTo(ChronoUnit.SECONDS)
                    + ": TenantBandwidths are not followed. "
                    + tenants()
                    + " tenants of theirs stay in force. "
                    + now.reason,
                "See that this node reaches kubernetes.server of sluiced.yaml, and that its token"
                    + " and trust are valid"));
  }

  private void tick() {
    try {
      ticks++;
      if (!leads.getAsBoolean()) {
        stop();
      } else if (watch == null) {
        if (ticks >= nextAttempt) {
          follow();
        }
      } else if (ticks - receivedAt > MOST_SILENT_TICKS) {
        ended(watches, new IOException("nothing came for " + MOST_SILENT_TICKS + " s"));
      } else if (ticks % TICKS_PER_REFRESH == 0) {
        applyAll();
      }
    } catch (RuntimeException e) {
      log.error("TenantBandwidths could not be followed; retrying", e);
    }
  }

  private void stop() {
    cancel();
    away = Optional.empty();
    byNamespace.clear();
    resourceVersion = "";
  }

  private void cancel() {
    if (watch != null) {
      watch.run();
      watch = null;
    }
    watches++;
  }

  /** Reads the list if need be, and goes on from there. */
  private void follow() {
    try {
      if (resourceVersion.isEmpty()) {
        list();
      }
      int number = ++watches;
      watch =
          server.watch(
              TenantBandwidth.LIST
                  + "?watch=1&allowWatchBookmarks=true&timeoutSeconds="
                  + WATCH_SECONDS
                  + "&resourceVersion="
                  + resourceVersion,
              new ApiServer.Events() {
                @Override
                public void opened() {
                  later(() -> answers(number));
                }

                @Override
                public void event(JsonNode event) {
                  later(() -> take(number, event));
                }

                @Override
                public void ended(Throwable reason) {
                  later(() -> BandwidthController.this.ended(number, reason));
                }
              });
      receivedAt = ticks;
    } catch (IOException e) {
      failed(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void later(Runnable work) {
    try {
      thread.execute(work);
    } catch (RejectedExecutionException e) {
      log.debug("Too late, it is closed", e);
    }
  }

  private void list() throws IOException, InterruptedException {
    Map<String, TenantBandwidth> found = new TreeMap<>();
    String next = "";
    JsonNode page;
    do {
      page =
          server.get(
              TenantBandwidth.LIST
                  + "?limit="
                  + PAGE
                  + (next.isEmpty()
                      ? ""
                      : "&continue=" + URLEncoder.encode(next, StandardCharsets.UTF_8)));
      for (JsonNode object : page.path("items")) {
        TenantBandwidth one = TenantBandwidth.of(object);
        found.put(one.namespace(), one);
      }
      next = page.path("metadata").path("continue").asText();
    } while (!next.isEmpty());
    byNamespace.clear();
    byNamespace.putAll(found);
    applyAll(); // Some may have been removed while nobody followed.
    resourceVersion = page.path("metadata").path("resourceVersion").asText();
  }

  private void answers(int number) {
    if (number == watches) {
      pause = 1;
      away = Optional.empty();
    }
  }

  private void take(int number, JsonNode event) {
    if (number != watches) {
      return;
    }
    receivedAt = ticks;
    JsonNode object = event.path("object");
    TenantBandwidth one = TenantBandwidth.of(object);
    switch (event.path("type").asText()) {
      case "ADDED", "MODIFIED" -> {
        byNamespace.put(one.namespace(), one);
        apply(one, endpointCounts());
      }
      case "DELETED" -> {
        byNamespace.remove(one.namespace());
        sweep();
      }
      case "BOOKMARK" -> {
        // Its version alone counts.
      }
      default -> {
        ended(
            number,
            new ApiServer.RefusedException(
                object.path("code").asInt(), object.path("message").asText()));
        return;
      }
    }
    resourceVersion = object.path("metadata").path("resourceVersion").asText();
  }

  private void ended(int number, Throwable reason) {
    if (number != watches) {
      return;
    }
    cancel();
    if (reason instanceof ApiServer.RefusedException refused && refused.status == ApiServer.GONE) {
      log.info(
          "What is known of TenantBandwidths is too old; reading the list: {}",
          reason.getMessage());
      resourceVersion = "";
      nextAttempt = 0;
    } else if (reason == ApiServer.Events.SERVER_ENDED_IT) {
      nextAttempt = ticks + 1; // As it does every few minutes.
    } else {
      failed(reason);
    }
  }

  private void failed(Throwable reason) {
    nextAttempt = ticks + pause;
    pause = Math.min(2 * pause, MOST_TICKS_BETWEEN_ATTEMPTS);
    if (reason instanceof ApiServer.RefusedException refused && refused.status == ApiServer.GONE) {
      resourceVersion = "";
    }
    Away now = new Away(awaySince().orElseGet(Instant::now), reason.toString());
    if (!away.equals(Optional.of(now))) {
      log.warn("TenantBandwidths cannot be followed; tenants stay as they are: {}", now.reason);
    }
    away = Optional.of(now);
  }

  /** Removes the tenants of objects that are gone. */
  private void sweep() {
    for (Tenant tenant : tenants.tenants()) {
      Optional<String> owner = TenantBandwidth.ownerOf(tenant);
      if (owner.isPresent() && !byNamespace.containsKey(owner.get())) {
        try {
          tenants.allowingRefusedAddresses().by(AUTHOR).remove(tenant.id());
        } catch (SluiceException e) {
          log.warn("Tenant {} of no TenantBandwidth stays: {}", tenant.id(), e.getMessage());
        }
      }
    }
  }

  /** Applies all of them, and removes what is nobody's. */
  private void applyAll() {
    Map<TenantId, Long> counts = endpointCounts();
    byNamespace.values().forEach(one -> apply(one, counts));
    sweep();
  }

  private Map<TenantId, Long> endpointCounts() {
    return endpoints.endpoints().stream()
        .collect(Collectors.groupingBy(Endpoint::tenant, Collectors.counting()));
  }

  private void apply(TenantBandwidth one, Map<TenantId, Long> endpointCounts) {
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    status.put("observedGeneration", one.generation());
    try {
      TenantId id = one.tenant();
      status.put("tenant", id.name());
      Optional<Tenant> present = tenants.tenant(id);
      Tenant wanted = one.applied(present);
      if (!present.equals(Optional.of(wanted))) {
        tenants.change(id, one::applied);
      }
      long known = endpointCounts.getOrDefault(id, 0L);
      status.put("endpoints", known);
      if (known == 0) {
        condition(
            one,
            status,
            "NoEndpoints",
            "No host reports an interface of a pod of this namespace. Nothing is limited or"
                + " guaranteed before one does");
      } else {
        condition(one, status, ENFORCED, "");
      }
    } catch (SluiceException e) {
      condition(one, status, reason(e.kind()), e.getMessage() + ". " + e.remedy());
    }
    // What holds, also where what was wanted last is refused.
    Optional.of(status.path("tenant").asText())
        .filter(name -> !name.isEmpty())
        .flatMap(name -> tenants.tenant(TenantId.of(name)))
        .filter(tenant -> TenantBandwidth.ownerOf(tenant).isPresent())
        .ifPresent(
            tenant ->
                status
                    .put("weight", tenant.weight())
                    .put(
                        "guaranteeMbps",
                        MegabitRate.fromBits(tenant.guaranteeBitsPerSecond()).doubleValue())
                    .put(
                        "ceilingMbps",
                        MegabitRate.fromBits(tenant.ceilingBitsPerSecond()).doubleValue()));
    report(one, status);
  }

  private static String reason(SluiceException.Kind kind) {
    return switch (kind) {
      case CONFLICT, STALE, UNCONFIRMED -> "Refused";
      case UNAVAILABLE -> "Unavailable";
      default -> "Invalid";
    };
  }

  /** What is to be known of whether it is enforced. */
  private static void condition(
      TenantBandwidth one, ObjectNode status, String reason, String message) {
    String is = reason.equals(ENFORCED) ? "True" : "False";
    JsonNode before = one.status().path("conditions").path(0);
    boolean isSame = before.path("status").asText().equals(is);
    status
        .putArray("conditions")
        .addObject()
        .put("type", ENFORCED)
        .put("status", is)
        .put("reason", reason)
        .put("message", message)
        .put("observedGeneration", one.generation())
        .put(
            "lastTransitionTime",
            isSame
                ? before.path("lastTransitionTime").asText()
                : Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
  }

  private void report(TenantBandwidth one, ObjectNode status) {
    if (sameStatus(one.status(), status)) {
      return;
    }
    ObjectNode whole = status.deepCopy();
    // A merge patch leaves what it does not name.
    one.status().fieldNames().forEachRemaining(name -> whole.putIfAbsent(name, whole.nullNode()));
    try {
      server.patch(one.statusPath(), JsonNodeFactory.instance.objectNode().set("status", whole));
      byNamespace.replace(
          one.namespace(),
          one,
          new TenantBandwidth(one.namespace(), one.name(), one.generation(), one.spec(), status));
    } catch (IOException e) {
      log.debug("The status of {} is written later", one.namespace(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Numbers may have been written otherwise. */
  private static boolean sameStatus(JsonNode before, JsonNode now) {
    return before.equals(
        (one, other) ->
            one.equals(other)
                    || one.isNumber() && other.isNumber() && one.asDouble() == other.asDouble()
                ? 0
                : 1,
        now);
  }
}
