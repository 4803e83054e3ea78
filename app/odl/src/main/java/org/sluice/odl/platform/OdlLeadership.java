// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.opendaylight.yangtools.concepts.Registration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.odl.Singleton;
import org.sluice.odl.line.Mdsal;

/**
 * Leadership by OpenDaylight's cluster singletons. A new leader numbers its term by a write to the
 * cluster's store, and leads from that on.
 */
final class OdlLeadership implements Leadership {
  private static final Logger log = LoggerFactory.getLogger(OdlLeadership.class);
  private static final long RETRY_SECONDS = 1;

  private final Mdsal mdsal;
  private final ReplicatedMap terms;
  private final ScheduledExecutorService writer;
  private final Epoch epoch = new Epoch();
  private final Map<String, Candidacy> candidacies = new ConcurrentHashMap<>();

  OdlLeadership(Mdsal mdsal, ReplicatedMap terms, ScheduledExecutorService writer) {
    this.mdsal = mdsal;
    this.terms = terms;
    this.writer = writer;
  }

  private final class Candidacy implements Singleton {
    private final String topic;
    private volatile Registration registration;
    private volatile boolean elected;
    private volatile OptionalLong term = OptionalLong.empty();

    Candidacy(String topic) {
      this.topic = topic;
    }

    @Override
    public String name() {
      return "sluice-" + topic;
    }

    @Override
    public void won() {
      elected = true;
      writer.execute(this::begin);
    }

    private void begin() {
      try {
        terms.put(topic, "");
        OptionalLong number =
            terms.get(topic).map(entry -> OptionalLong.of(entry.version())).orElseThrow();
        lead(number);
      } catch (StorageUnavailableException e) {
        log.warn("Cannot begin to lead {} yet: {}", topic, e.getMessage());
        if (!writer.isShutdown()) {
          writer.schedule(this::begin, RETRY_SECONDS, TimeUnit.SECONDS);
        }
      }
    }

    /** Unless it was lost while its term was written. */
    private void lead(OptionalLong number) {
      synchronized (this) {
        term = elected ? number : OptionalLong.empty();
      }
      epoch.advance();
    }

    @Override
    public void lost() {
      synchronized (this) {
        elected = false;
        term = OptionalLong.empty();
      }
      epoch.advance();
    }
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public void run(String topic) {
    Candidacy candidacy = new Candidacy(topic);
    if (candidacies.putIfAbsent(topic, candidacy) == null) {
      candidacy.registration = mdsal.candidate(candidacy);
    }
  }

  @Override
  public void withdraw(String topic) {
    Candidacy candidacy = candidacies.remove(topic);
    if (candidacy != null) {
      candidacy.registration.close();
      candidacy.lost();
    }
  }

  @Override
  public OptionalLong localTerm(String topic) {
    Candidacy candidacy = candidacies.get(topic);
    return candidacy == null ? OptionalLong.empty() : candidacy.term;
  }
}
