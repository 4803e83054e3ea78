// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos;

import static org.sluice.onos.OsgiPropertyConstants.AGENT_LINK_CERTIFICATE;
import static org.sluice.onos.OsgiPropertyConstants.AGENT_LINK_KEY;
import static org.sluice.onos.OsgiPropertyConstants.AGENT_LINK_PORT;
import static org.sluice.onos.OsgiPropertyConstants.AGENT_LINK_PORT_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.AGENT_LINK_TRUST;
import static org.sluice.onos.OsgiPropertyConstants.CONTROL_PERIOD_MILLIS;
import static org.sluice.onos.OsgiPropertyConstants.CONTROL_PERIOD_MILLIS_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.DEADLINES;
import static org.sluice.onos.OsgiPropertyConstants.DEADLINES_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.ENFORCEMENT;
import static org.sluice.onos.OsgiPropertyConstants.ENFORCEMENT_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.EXPIRED;
import static org.sluice.onos.OsgiPropertyConstants.EXPIRED_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.FAST_COUNTERS;
import static org.sluice.onos.OsgiPropertyConstants.FAST_COUNTERS_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.FAST_COUNTERS_PORT;
import static org.sluice.onos.OsgiPropertyConstants.FAST_COUNTERS_PORT_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.FILE_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.FLOWS;
import static org.sluice.onos.OsgiPropertyConstants.FLOWS_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.FORWARDING;
import static org.sluice.onos.OsgiPropertyConstants.FORWARDING_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.LAW;
import static org.sluice.onos.OsgiPropertyConstants.LAW_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.LEASE_MILLIS;
import static org.sluice.onos.OsgiPropertyConstants.LEASE_MILLIS_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.LOSS_ANSWERS;
import static org.sluice.onos.OsgiPropertyConstants.LOSS_ANSWERS_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.NOTICES;
import static org.sluice.onos.OsgiPropertyConstants.NOTICES_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.NOTICE_FORMAT;
import static org.sluice.onos.OsgiPropertyConstants.NOTICE_FORMAT_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.NOTICE_PROTOCOL;
import static org.sluice.onos.OsgiPropertyConstants.NOTICE_PROTOCOL_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.SIGNALS;
import static org.sluice.onos.OsgiPropertyConstants.SIGNALS_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.SPLIT;
import static org.sluice.onos.OsgiPropertyConstants.SPLIT_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.SPREADING;
import static org.sluice.onos.OsgiPropertyConstants.SPREADING_DEFAULT;
import static org.sluice.onos.OsgiPropertyConstants.WINDOWS;
import static org.sluice.onos.OsgiPropertyConstants.WINDOWS_DEFAULT;

import org.onosproject.cfg.ComponentConfigService;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.CoreService;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.onos.journal.Chronicle;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.setting.SettingListener;
import org.sluice.onos.setting.SettingService;
import org.sluice.onos.setting.Settings;

/** The application itself: its name, its parameters, its end. */
@Component(
    immediate = true,
    service = SettingService.class,
    property = {
      ENFORCEMENT + "=" + ENFORCEMENT_DEFAULT,
      LAW + "=" + LAW_DEFAULT,
      SPLIT + "=" + SPLIT_DEFAULT,
      CONTROL_PERIOD_MILLIS + ":Integer=" + CONTROL_PERIOD_MILLIS_DEFAULT,
      FORWARDING + "=" + FORWARDING_DEFAULT,
      SPREADING + "=" + SPREADING_DEFAULT,
      AGENT_LINK_PORT + ":Integer=" + AGENT_LINK_PORT_DEFAULT,
      AGENT_LINK_KEY + "=" + FILE_DEFAULT,
      AGENT_LINK_CERTIFICATE + "=" + FILE_DEFAULT,
      AGENT_LINK_TRUST + "=" + FILE_DEFAULT,
      LEASE_MILLIS + ":Integer=" + LEASE_MILLIS_DEFAULT,
      FAST_COUNTERS + "=" + FAST_COUNTERS_DEFAULT,
      FAST_COUNTERS_PORT + ":Integer=" + FAST_COUNTERS_PORT_DEFAULT,
      SIGNALS + "=" + SIGNALS_DEFAULT,
      NOTICES + "=" + NOTICES_DEFAULT,
      NOTICE_FORMAT + "=" + NOTICE_FORMAT_DEFAULT,
      NOTICE_PROTOCOL + ":Integer=" + NOTICE_PROTOCOL_DEFAULT,
      DEADLINES + "=" + DEADLINES_DEFAULT,
      WINDOWS + "=" + WINDOWS_DEFAULT,
      EXPIRED + "=" + EXPIRED_DEFAULT,
      FLOWS + "=" + FLOWS_DEFAULT,
      LOSS_ANSWERS + "=" + LOSS_ANSWERS_DEFAULT,
    })
public class SluiceManager implements SettingService {
  /** The application's name in ONOS. */
  public static final String APPLICATION = "org.sluice";

  private static final Logger log = LoggerFactory.getLogger(SluiceManager.class);

  @Reference CoreService core;
  @Reference ComponentConfigService componentConfig;
  @Reference Chronicle chronicle;

  private final Settings settings = new Settings(this::refused);
  private ApplicationId applicationId;
  private volatile boolean active;

  @Activate
  void activate(ComponentContext context) {
    active = true;
    applicationId = core.registerApplication(APPLICATION, this::withdraw);
    componentConfig.registerProperties(getClass());
    settings.read(context.getProperties());
    String chosen = settings.parameters().differenceFrom(Parameters.defaults());
    log.info("Started with {}", chosen.isEmpty() ? "all properties at their defaults" : chosen);
  }

  @Modified
  void modified(ComponentContext context) {
    Parameters before = settings.parameters();
    Parameters now = settings.read(context.getProperties());
    if (!now.equals(before)) {
      String decision = now.differenceFrom(before);
      log.info("Now {}", decision);
      chronicle.write(JournalEntry.Kind.SETTING, decision, "before: " + before.differenceFrom(now));
    }
  }

  @Deactivate
  void deactivate() {
    active = false;
    componentConfig.unregisterProperties(getClass(), false);
    log.info("Stopped");
  }

  /** ONOS deactivates or uninstalls the application, while it still stands. */
  private void withdraw() {
    if (!active) {
      return; // A hook that an earlier life of this component left behind.
    }
    settings.withdraw();
    componentConfig.unregisterProperties(getClass(), true);
    log.info("Withdrew everything");
  }

  @Override
  public ApplicationId applicationId() {
    return applicationId;
  }

  @Override
  public Parameters parameters() {
    return settings.parameters();
  }

  @Override
  public void addListener(int stage, SettingListener listener) {
    settings.addListener(stage, listener);
  }

  @Override
  public void removeListener(SettingListener listener) {
    settings.removeListener(listener);
  }

  private void refused(String warning) {
    log.warn(warning);
    chronicle.write(JournalEntry.Kind.REFUSED, "A property is refused", warning);
  }
}
