// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.notice;

import static java.util.concurrent.TimeUnit.HOURS;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.Notice;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.link.HostMessages;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.SettingTable.NoticeFormat;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.Platform;

/**
 * Chooses for each notice: in band where the parameters require it and it is possible, else by the
 * link; never both. Packets are built and sent on a thread of their own, since a platform takes its
 * time for each; the engine goes on, and what it decides meanwhile about the same endpoint and port
 * joins what waits.
 */
public final class NoticeDispatcher implements NoticeService, UplinkHandler, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(NoticeDispatcher.class);
  private static final long ROTATION_HOURS = 1;

  private final Settings settings;
  private final AgentLink link;
  private final Platform platform;
  private final Execution execution;
  private final WaitingNotices waiting;
  private final LinkFallbacks fallbacks;
  private ScheduledExecutorService executor;

  // Executor thread only:
  private final NoticeKeys keys;
  private final PacketEmitter emitter;

  /**
   * One that sends nothing yet.
   *
   * @param clockMillis the time of day, ms, which never goes back
   */
  public NoticeDispatcher(
      Settings settings,
      AgentLink link,
      ReportedEndpoints endpoints,
      EndpointLocator locator,
      Platform platform,
      JournalWriter journal,
      Execution execution,
      LongSupplier clockMillis) {
    this.settings = settings;
    this.link = link;
    this.platform = platform;
    this.execution = execution;
    waiting = new WaitingNotices(execution.clock()::nanoTime);
    fallbacks = new LinkFallbacks(journal, execution.clock()::nanoTime);
    keys = new NoticeKeys(link, clockMillis);
    emitter = new PacketEmitter(endpoints, locator, platform);
  }

  public void start() {
    executor = execution.sequential("notices");
    executor.execute(() -> follow(settings.parameters()));
    executor.scheduleWithFixedDelay(this::rotateKeys, ROTATION_HOURS, ROTATION_HOURS, HOURS);
    settings.addListener(WithdrawStage.NOTICES, this);
    link.addListener(this);
  }

  public void stop() {
    link.removeListener(this);
    settings.removeListener(this);
    executor.shutdownNow();
  }

  private void rotateKeys() {
    try {
      keys.rotate();
    } catch (RuntimeException e) {
      // It would end the repetition.
      log.error(
          "Some hosts got no new notice key; they keep the old one until the next rotation", e);
    }
  }

  @Override
  public void send(HostId host, long term, List<Notice> notices) {
    Parameters parameters = settings.parameters();
    if (!parameters.noticesInBand()) {
      sendByLink(host, term, notices);
    } else if (!platform.forwarding().own()) {
      fallBack(host, term, notices, "Sluice does not forward here");
    } else if (waiting.haveWaitedLong()) {
      fallBack(host, term, notices, "no packet could be sent for a second");
    } else if (waiting.add(term, notices)) {
      executor.execute(() -> emitAll(parameters));
    }
  }

  private void emitAll(Parameters parameters) {
    emitter.checkAgain();
    HostMessages<Notice> others = new HostMessages<>();
    for (WaitingNotices.Due due : waiting.take()) {
      EndpointId endpoint = due.notice.endpoint();
      Optional<String> obstacle = emit(parameters, due);
      if (obstacle.isEmpty()) {
        fallbacks.inBand(endpoint);
      } else {
        fallbacks.byLink(endpoint, obstacle.get());
        others.add(endpoint.host(), due.term, due.notice);
      }
    }
    others.flush(this::sendByLink);
  }

  /** Emits one; returns why it did not, empty if it did. */
  private Optional<String> emit(Parameters parameters, WaitingNotices.Due due) {
    try {
      return emitter.emit(keys, parameters, due.notice, due.term);
    } catch (RuntimeException e) {
      log.error("No packet could be sent to {}", due.notice.endpoint(), e);
      return Optional.of("the platform refused the packet: " + e.getMessage());
    }
  }

  private void fallBack(HostId host, long term, List<Notice> notices, String reason) {
    notices.forEach(notice -> fallbacks.byLink(notice.endpoint(), reason));
    sendByLink(host, term, notices);
  }

  private void sendByLink(HostId host, long term, List<Notice> notices) {
    link.send(host, term, DownlinkMessage.ofNotices(notices));
  }

  private void follow(Parameters now) {
    keys.use(now.noticesInBand() && now.get(SettingTable.NOTICE_FORMAT) == NoticeFormat.V1);
  }

  @Override
  public void changed(Parameters before, Parameters now) {
    executor.execute(() -> follow(now));
  }

  @Override
  public void sessionOpened(HostHello hello) {
    executor.execute(() -> keys.connected(hello.host()));
  }

  @Override
  public void sessionClosed(HostId host) {
    executor.execute(() -> keys.disconnected(host));
  }
}
