// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.notice;

import static java.util.concurrent.TimeUnit.HOURS;
import static org.onlab.util.Tools.groupedThreads;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.packet.PacketService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.agentlink.SteadyClock;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.Notice;
import org.sluice.api.link.UplinkHandler;
import org.sluice.onos.journal.Chronicle;
import org.sluice.onos.link.HostMessages;
import org.sluice.onos.registry.EndpointLocator;
import org.sluice.onos.registry.ReportedEndpoints;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.setting.SettingListener;
import org.sluice.onos.setting.SettingService;
import org.sluice.onos.topology.ForwardingState;

/**
 * Chooses each notice's way: in band where the parameters say so and it can be, else by the link;
 * never both. Packets are built and sent on a thread of their own, since ONOS takes its time for
 * each; the engine goes on, and what it says meanwhile of the same endpoint and port joins what
 * waits.
 */
@Component(immediate = true, service = NoticeService.class)
public class NoticeDispatcher implements NoticeService, UplinkHandler, SettingListener {
  private static final Logger log = LoggerFactory.getLogger(NoticeDispatcher.class);
  private static final int WITHDRAW_STAGE = 15;
  private static final long ROTATION_HOURS = 1;

  @Reference SettingService settings;
  @Reference AgentLink link;
  @Reference ReportedEndpoints endpoints;
  @Reference EndpointLocator locator;
  @Reference ForwardingState forwarding;
  @Reference MastershipService mastership;
  @Reference DeviceService devices;
  @Reference PacketService packets;
  @Reference Chronicle chronicle;

  private final WaitingNotices waiting = new WaitingNotices(System::nanoTime);
  private ScheduledExecutorService executor;
  private Detours detours;

  // The executor's thread alone:
  private NoticeKeys keys;
  private PacketEmitter emitter;

  @Activate
  void activate() {
    detours = new Detours(chronicle, System::nanoTime);
    keys = new NoticeKeys(link, SteadyClock::millis);
    emitter = new PacketEmitter(endpoints, locator, mastership, devices, packets);
    executor = Executors.newSingleThreadScheduledExecutor(groupedThreads("sluice", "notices", log));
    executor.execute(() -> follow(settings.parameters()));
    executor.scheduleWithFixedDelay(() -> keys.rotate(), ROTATION_HOURS, ROTATION_HOURS, HOURS);
    settings.addListener(WITHDRAW_STAGE, this);
    link.addListener(this);
  }

  @Deactivate
  void deactivate() {
    link.removeListener(this);
    settings.removeListener(this);
    executor.shutdownNow();
  }

  @Override
  public void send(HostId host, long term, List<Notice> notices) {
    Parameters parameters = settings.parameters();
    if (!parameters.noticesInBand()) {
      sendByLink(host, term, notices);
    } else if (!forwarding.own()) {
      detour(host, term, notices, "Sluice does not forward here");
    } else if (waiting.haveWaitedLong()) {
      detour(host, term, notices, "no packet could be sent for a second");
    } else if (waiting.add(term, notices)) {
      executor.execute(() -> emitAll(parameters));
    }
  }

  private void emitAll(Parameters parameters) {
    emitter.lookAgain();
    HostMessages<Notice> others = new HostMessages<>();
    for (WaitingNotices.Due due : waiting.take()) {
      EndpointId endpoint = due.notice.endpoint();
      Optional<String> obstacle = emit(parameters, due);
      if (obstacle.isEmpty()) {
        detours.inBand(endpoint);
      } else {
        detours.byLink(endpoint, obstacle.get());
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
      return Optional.of("ONOS refused the packet: " + e.getMessage());
    }
  }

  private void detour(HostId host, long term, List<Notice> notices, String reason) {
    notices.forEach(notice -> detours.byLink(notice.endpoint(), reason));
    sendByLink(host, term, notices);
  }

  private void sendByLink(HostId host, long term, List<Notice> notices) {
    link.send(host, term, DownlinkMessage.ofNotices(notices));
  }

  private void follow(Parameters now) {
    keys.use(now.noticesInBand() && now.noticeFormat() == Parameters.NoticeFormat.V1);
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
