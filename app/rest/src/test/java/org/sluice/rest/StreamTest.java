// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.JournalEntry;
import org.sluice.api.MacAddress;
import org.sluice.api.PortService;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.access.Caller;
import org.sluice.api.topology.NetworkTopology;
import org.sluice.rest.StreamEvents.Event;
import org.sluice.rest.stream.StreamFeed;
import org.sluice.rest.stream.StreamPace;
import org.sluice.rest.stream.StreamReader;

/** Readers of the stream, each on a thread of its own as in the container. */
class StreamTest {
  private static final TenantId RED = TenantId.of("red");
  private static final List<String> EVERYTHING =
      List.of(
          "topology",
          "tenants",
          "hosts",
          "findings",
          "cluster",
          "ports",
          "endpoints",
          "flows",
          "journal",
          "time");
  private static final long LONG = TimeUnit.MINUTES.toMillis(10);
  private static final long PATIENCE_SECONDS = 20;

  private final FakeServices services = new FakeServices();
  private final ExecutorService container = Executors.newCachedThreadPool();
  private final List<StreamFeed> feeds = new ArrayList<>();
  private final StreamFeed feed = feed(4, LONG, LONG, LONG);

  /** Its readers get one update. */
  private final StreamFeed once = feed(2, LONG, 0, LONG);

  @AfterEach
  void close() {
    feeds.forEach(StreamFeed::close);
    container.shutdownNow();
  }

  private StreamFeed feed(
      int mostReaders, long stuckMillis, long lifetimeMillis, long lingerMillis) {
    StreamFeed made =
        new StreamFeed(
            services::get,
            new StreamPace(mostReaders, 5, 20, stuckMillis, lifetimeMillis, lingerMillis));
    feeds.add(made);
    return made;
  }

  private static Caller with(String... roles) {
    return Caller.of(Set.of(roles)::contains);
  }

  private static Caller viewer() {
    return with("viewer");
  }

  /** A tenant's user. */
  private static Caller user(String tenant) {
    return with("sluice-tenant", "sluice-tenant-" + tenant);
  }

  private Future<?> start(StreamReader reader, StreamEvents to) {
    return container.submit(
        () -> {
          reader.run(to);
          return null;
        });
  }

  private StreamEvents read(Caller caller, String lastEventId) throws SluiceException {
    StreamEvents events = new StreamEvents();
    start(feed.open(caller, anotherUser(), lastEventId).orElseThrow(), events);
    return events;
  }

  /** What a reader gets at once that comes with an id. */
  private List<Event> update(Caller caller, String lastEventId) throws Exception {
    StreamEvents events = new StreamEvents();
    start(once.open(caller, anotherUser(), lastEventId).orElseThrow(), events)
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    return events.all();
  }

  /** The names of a reader's events up to the first time. */
  private static List<String> firstNames(StreamEvents events) throws InterruptedException {
    events.await("time", any -> true);
    List<String> names = names(events.all());
    return names.subList(0, names.indexOf("time") + 1);
  }

  private static List<String> names(List<Event> events) {
    return events.stream().map(one -> one.name).collect(Collectors.toList());
  }

  private void send(long bitsPerSecond) {
    Endpoint now = services.endpoint;
    services.endpoint =
        Endpoint.of(
            now.id(),
            now.mac(),
            now.ips(),
            now.tenant(),
            now.attachment(),
            now.rateBitsPerSecond(),
            now.limits(),
            EndpointTraffic.of(bitsPerSecond, 0, 0, false));
  }

  private static Endpoint endpoint(String id, TenantId tenant) {
    return Endpoint.of(
        EndpointId.parse(id),
        MacAddress.parse("02:00:00:00:02:01"),
        Set.of(),
        tenant,
        Optional.empty(),
        0);
  }

  private void write(long sequence, Optional<TenantId> tenant) {
    services.journal.add(
        0,
        JournalEntry.of(
            sequence,
            Instant.EPOCH,
            JournalEntry.Kind.TENANT,
            "",
            Optional.empty(),
            Optional.empty(),
            tenant,
            "decided",
            "requested"));
  }

  /** Places are limited by user, which only some tests are about. */
  private static String anotherUser() {
    return UUID.randomUUID().toString();
  }

  @Test
  void firstUpdateHasEverythingAsDocumented() throws Exception {
    services.flows.add(RED);
    List<Event> first = update(viewer(), "");

    assertThat(names(first)).containsExactlyElementsOf(EVERYTHING);
    for (Event event : first) {
      assertThat(OpenApiDocument.served().flawsOfEvent(event.name, event.data.toString()))
          .as("%s", event)
          .isEmpty();
      assertThat(event.data.path("complete").asBoolean(true)).as("%s", event).isTrue();
    }
    assertThat(first.get(6).ids("rows")).containsExactly("h1/vm0");
    assertThat(first.get(7).ids("rows")).containsExactly("1");
    assertThat(first.get(8).data.path("rows")).hasSize(5);
  }

  @Test
  void laterUpdatesHaveChangesOnly() throws Exception {
    StreamEvents events = read(viewer(), "");
    events.await("time", any -> true);

    send(7_000_000);
    Event sent = events.await("endpoints", one -> !one.data.path("complete").asBoolean());
    assertThat(sent.ids("rows")).containsExactly("h1/vm0");
    assertThat(sent.data.at("/rows/0/deliveredBitsPerSecond").asLong()).isEqualTo(7_000_000);
    assertThat(sent.ids("gone")).isEmpty();

    services.others.add(endpoint("h2/vm0", RED));
    Event come = events.await("endpoints", one -> one.ids("rows").contains("h2/vm0"));
    assertThat(come.ids("rows")).containsExactly("h2/vm0");
    services.others.clear();
    Event gone = events.await("endpoints", one -> one.ids("gone").contains("h2/vm0"));
    assertThat(gone.ids("rows")).isEmpty();

    services.tenants.put(RED, Tenant.builder(RED).build());
    Event tenants = events.await("tenants", one -> one.ids("rows").contains("red"));
    assertThat(tenants.ids("rows")).containsExactly("default", "red");

    services.topology = NetworkTopology.of(List.of(), List.of(), List.of());
    events.await("topology", one -> one.data.path("switches").isEmpty());

    write(5, Optional.empty());
    Event journal = events.await("journal", one -> !one.data.path("complete").asBoolean());
    assertThat(journal.data.path("rows")).hasSize(1);
    assertThat(journal.data.at("/rows/0/sequence").asInt()).isEqualTo(5);

    assertThat(events.named("ports")).as("they have not changed").hasSize(1);
    assertThat(events.named("hosts")).as("they have not changed").hasSize(1);
  }

  @Test
  void remainingTimeIsNotAChange() throws Exception {
    services.flows.add(RED);
    StreamEvents events = read(viewer(), "");
    events.await("time", any -> true);

    services.flows.flows.computeIfPresent(
        1L, (id, flow) -> flow.toBuilder().dueInNanos(flow.dueInNanos() - 1_000_000).build());
    send(1_000_000);
    Event sent = events.await("endpoints", one -> !one.data.path("complete").asBoolean());

    assertThat(events.named("flows")).hasSize(1);
    List<Event> later = update(viewer(), "");
    assertThat(later.get(6).data.at("/rows/0/dueInMillis").decimalValue())
        .as("whoever comes then gets what is left then")
        .isLessThan(events.named("flows").get(0).data.at("/rows/0/dueInMillis").decimalValue());
    assertThat(sent.id).isNotEmpty();
  }

  @Test
  void reconnectedReaderGetsChangesSinceItsLastEvent() throws Exception {
    services.others.add(endpoint("h2/vm0", RED));
    List<Event> first = update(viewer(), "");
    String id = first.get(first.size() - 1).id;

    assertThat(names(update(viewer(), id))).as("nothing changed").containsExactly("time");

    send(7_000_000);
    services.others.clear();
    write(5, Optional.empty());
    List<Event> since = update(viewer(), id);
    assertThat(names(since)).containsExactly("endpoints", "journal", "time");
    assertThat(since.get(0).data.path("complete").asBoolean()).isFalse();
    assertThat(since.get(0).ids("rows")).containsExactly("h1/vm0");
    assertThat(since.get(0).ids("gone")).containsExactly("h2/vm0");
  }

  @Test
  void readerOfAPartialUpdateGetsTheWholeUpdateAgain() throws Exception {
    List<Event> first = update(viewer(), "");
    assertThat(names(update(viewer(), first.get(0).id))).containsExactlyElementsOf(EVERYTHING);

    String id = first.get(first.size() - 1).id;
    send(7_000_000);
    write(5, Optional.empty());
    List<Event> second = update(viewer(), id);
    assertThat(second.get(0).id).isEqualTo(id);
    assertThat(second.get(1).id).isEqualTo(id);
    assertThat(second.get(2).id).isNotEqualTo(id);
    assertThat(names(update(viewer(), second.get(1).id)))
        .containsExactly("endpoints", "journal", "time");
  }

  @Test
  void unknownEventIdGetsEverything() throws Exception {
    List<Event> first = update(viewer(), "");
    String[] parts = first.get(first.size() - 1).id.split("\\.");
    String other = (parts[0].startsWith("a") ? "b" : "a") + parts[0].substring(1);
    for (String id :
        List.of(
            other + "." + parts[1] + "." + parts[2],
            parts[0] + ".999999." + parts[2],
            parts[0] + "." + parts[1],
            parts[0] + ".99999999999999999999." + parts[2],
            "1",
            "\u00e9\n")) {
      assertThat(names(update(viewer(), id))).as(id).containsExactlyElementsOf(EVERYTHING);
    }
  }

  @Test
  void readerBeyondTheHistoryGetsEverything() throws Exception {
    List<Event> first = update(viewer(), "");
    for (int i = 0; i < 10_001; i++) {
      services.others.add(endpoint("h2/vm" + i, RED));
    }
    assertThat(names(update(viewer(), ""))).containsExactlyElementsOf(EVERYTHING);
    services.others.clear();

    List<Event> since = update(viewer(), first.get(first.size() - 1).id);
    Event endpoints = since.get(names(since).indexOf("endpoints"));
    assertThat(endpoints.data.path("complete").asBoolean()).isTrue();
    assertThat(endpoints.ids("rows")).containsExactly("h1/vm0");
  }

  @Test
  void readerFarBehindGetsTheNewestJournalEntries() throws Exception {
    List<Event> first = update(viewer(), "");
    for (int i = 5; i < 1500; i++) {
      write(i, Optional.empty());
    }
    List<Event> since = update(viewer(), first.get(first.size() - 1).id);
    Event journal = since.get(names(since).indexOf("journal"));
    assertThat(journal.data.path("complete").asBoolean()).isTrue();
    assertThat(journal.data.path("rows")).hasSize(100);
    assertThat(journal.data.at("/rows/0/sequence").asInt()).isEqualTo(1499);
  }

  @Test
  void tenantUserGetsItsOwnData() throws Exception {
    services.tenants.put(RED, Tenant.builder(RED).build());
    services.others.add(endpoint("h2/vm0", RED));
    services.flows.add(TenantId.DEFAULT);
    services.flows.add(RED);
    List<Event> first = update(user("red"), "");

    assertThat(names(first)).containsExactly("tenants", "endpoints", "flows", "journal", "time");
    assertThat(first.get(0).ids("rows")).containsExactly("red");
    assertThat(first.get(1).ids("rows")).containsExactly("h2/vm0");
    assertThat(first.get(2).ids("rows")).containsExactly("2");
    assertThat(first.get(3).data.path("rows")).hasSize(1);
    assertThat(first.get(3).data.at("/rows/0/tenant").asText()).isEqualTo("red");
  }

  @Test
  void dataThatMovesToAnotherTenantIsRemoved() throws Exception {
    services.others.add(endpoint("h2/vm0", RED));
    StreamEvents red = read(user("red"), "");
    StreamEvents blue = read(user("blue"), "");
    red.await("time", any -> true);
    blue.await("time", any -> true);

    services.others.set(0, endpoint("h2/vm0", TenantId.of("blue")));

    Event gone = red.await("endpoints", one -> !one.data.path("complete").asBoolean());
    assertThat(gone.ids("gone")).containsExactly("h2/vm0");
    assertThat(gone.ids("rows")).isEmpty();
    Event come = blue.await("endpoints", one -> !one.data.path("complete").asBoolean());
    assertThat(come.ids("gone")).isEmpty();
    assertThat(come.ids("rows")).containsExactly("h2/vm0");
    assertThat(names(red.all())).doesNotContain("ports", "hosts", "topology", "findings");

    send(3_000_000);
    write(5, Optional.empty());
    int times = red.named("time").size();
    red.await("time", any -> red.named("time").size() > times + 2);
    assertThat(red.named("endpoints")).as("what others do is no event").hasSize(2);
    assertThat(red.named("journal")).hasSize(1);
  }

  @Test
  void slowReaderDelaysNoOtherAndGetsTheLatest() throws Exception {
    StreamEvents slow = read(viewer(), "");
    slow.await("time", any -> true);
    slow.setTaking(false);
    slow.awaitBlocked();
    int before = slow.named("endpoints").size();

    StreamEvents quick = read(viewer(), "");
    for (int i = 1; i <= 20; i++) {
      int rate = i;
      send(rate * 1_000_000L);
      quick.await(
          "endpoints",
          one -> one.data.at("/rows/0/deliveredBitsPerSecond").asLong() == rate * 1_000_000L);
    }
    assertThat(slow.named("endpoints")).hasSize(before);
    slow.setTaking(true);
    slow.await(
        "endpoints", one -> one.data.at("/rows/0/deliveredBitsPerSecond").asLong() == 20_000_000);
    assertThat(slow.named("endpoints").size() - before)
        .as("the one that was held up, and the latest")
        .isLessThanOrEqualTo(2);
  }

  @Test
  void stuckReaderIsClosed() throws Exception {
    StreamFeed impatient = feed(3, 50, LONG, LONG);
    StreamEvents events = new StreamEvents();
    events.setTaking(false);
    Future<?> ended = start(impatient.open(viewer(), "user", "").orElseThrow(), events);

    assertThatThrownBy(() -> ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IOException.class);
    assertThat(events.all()).isEmpty();

    StreamEvents next = new StreamEvents();
    start(impatient.open(viewer(), "user", "").orElseThrow(), next);
    next.await("time", any -> next.named("time").size() > 10);
  }

  @Test
  void readerThatNeverStartsLosesItsSlot() throws Exception {
    StreamFeed impatient = feed(3, 50, LONG, LONG);
    for (int i = 0; i < 3; i++) {
      assertThat(impatient.open(viewer(), "user", "")).isPresent();
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (impatient.open(viewer(), "user", "").isEmpty()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void readersAreLimited() throws Exception {
    StreamFeed narrow = feed(2, LONG, LONG, LONG);
    StreamEvents first = new StreamEvents();
    Future<?> ends = start(narrow.open(viewer(), "user", "").orElseThrow(), first);
    first.await("time", any -> true);
    start(narrow.open(viewer(), "user", "").orElseThrow(), new StreamEvents());
    assertThat(narrow.open(viewer(), "user", "")).isEmpty();

    ends.cancel(true);

    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (narrow.open(viewer(), "user", "").isEmpty()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void tenantUsersLeaveSlotsForOperators() throws Exception {
    StreamFeed narrow = feed(4, LONG, LONG, LONG);
    assertThat(narrow.open(user("red"), "r", "")).isPresent();
    assertThat(narrow.open(user("blue"), "b", "")).isPresent();
    assertThat(narrow.open(user("red"), "r", "")).isEmpty();
    assertThat(narrow.open(viewer(), "user", "")).isPresent();
    assertThat(narrow.open(viewer(), "user", "")).isPresent();
    assertThat(narrow.open(viewer(), "user", "")).isEmpty();
  }

  @Test
  void aTenantsUserLeavesPlacesForOthersOfTenants() throws Exception {
    StreamFeed wide = feed(32, LONG, LONG, LONG);
    for (int i = 0; i < 4; i++) {
      assertThat(wide.open(user("red"), "r", "")).isPresent();
    }
    assertThat(wide.open(user("red"), "r", "")).isEmpty();
    assertThat(wide.open(user("red"), "another", "")).isPresent();
    assertThat(wide.open(user("blue"), "b", "")).isPresent();
  }

  @Test
  void removedServiceEndsTheStream() throws Exception {
    StreamEvents events = new StreamEvents();
    Future<?> ended = start(feed.open(viewer(), "user", "").orElseThrow(), events);
    Event time = events.await("time", any -> true);
    PortService ports = services.get(PortService.class);

    services.withdraw(PortService.class);
    ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThatThrownBy(() -> feed.open(viewer(), "user", ""))
        .isInstanceOfSatisfying(
            SluiceException.class,
            refusal -> assertThat(refusal.kind()).isEqualTo(SluiceException.Kind.UNAVAILABLE));

    services.replace(PortService.class, ports);
    assertThat(firstNames(read(viewer(), time.id)))
        .as("nobody knows what was between")
        .containsExactlyElementsOf(EVERYTHING);
  }

  @Test
  void failureEndsTheStreamAndTheNextOneStartsFresh() throws Exception {
    AtomicBoolean failing = new AtomicBoolean();
    services.flows.beforeListing =
        () -> {
          if (failing.get()) {
            throw new IllegalStateException("made up by the test");
          }
        };
    StreamEvents events = new StreamEvents();
    Future<?> ended = start(feed.open(viewer(), "user", "").orElseThrow(), events);
    events.await("time", any -> true);

    failing.set(true);
    ended.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    failing.set(false);

    assertThat(firstNames(read(viewer(), ""))).containsExactlyElementsOf(EVERYTHING);
  }

  @Test
  void closeEndsAllReadersAndTheThread() throws Exception {
    StreamEvents taking = new StreamEvents();
    StreamEvents blocked = new StreamEvents();
    Future<?> first = start(feed.open(viewer(), "user", "").orElseThrow(), taking);
    Future<?> second = start(feed.open(viewer(), "user", "").orElseThrow(), blocked);
    taking.await("time", any -> true);
    blocked.await("time", any -> true);
    blocked.setTaking(false);
    blocked.awaitBlocked();
    assertThat(threads()).isNotEmpty();

    feed.close();

    first.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    second.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    awaitNoThread();
    assertThatThrownBy(() -> feed.open(viewer(), "user", "")).isInstanceOf(SluiceException.class);
  }

  @Test
  void threadEndsWithoutReaders() throws Exception {
    StreamFeed brief = feed(1, LONG, 0, 50);
    StreamEvents events = new StreamEvents();
    start(brief.open(viewer(), "user", "").orElseThrow(), events)
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(names(events.all())).containsExactlyElementsOf(EVERYTHING);

    awaitNoThread();

    StreamEvents later = new StreamEvents();
    String id = events.all().get(EVERYTHING.size() - 1).id;
    start(brief.open(viewer(), "user", id).orElseThrow(), later)
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(names(later.all())).containsExactlyElementsOf(EVERYTHING);
  }

  /** The container's threads go on to other requests. */
  @Test
  void threadIsReturnedWithoutInterruptStatus() throws Exception {
    StreamReader reader = feed.open(viewer(), "user", "").orElseThrow();
    StreamEvents events = new StreamEvents();
    Future<Boolean> interrupted =
        container.submit(
            () -> {
              reader.run(events);
              return Thread.currentThread().isInterrupted();
            });
    events.await("time", any -> true);
    feed.close();
    assertThat(interrupted.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isFalse();
  }

  private static List<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("sluice-stream"))
        .collect(Collectors.toList());
  }

  private static void awaitNoThread() throws InterruptedException {
    for (Thread thread : threads()) {
      thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    }
    assertThat(threads()).isEmpty();
  }
}
