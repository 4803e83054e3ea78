// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos;

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
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.runtime.SystemExecution;
import org.sluice.core.setting.Settings;
import org.sluice.forwarding.NodeSettings;

/**
 * The application itself: its name, its settings, its end. The settings are those of {@link
 * org.sluice.core.setting.SettingTable}, from which the build makes their definitions for ONOS.
 */
@Component(immediate = true, service = SluiceManager.class)
public class SluiceManager {
  /** The application's name in ONOS. */
  public static final String APPLICATION = "org.sluice";

  private static final Logger log = LoggerFactory.getLogger(SluiceManager.class);

  @Reference CoreService core;
  @Reference ComponentConfigService componentConfig;

  private final NodeSettings node = new NodeSettings(new SystemExecution());
  private ApplicationId applicationId;
  private volatile boolean active;

  @Activate
  void activate(ComponentContext context) {
    active = true;
    applicationId = core.registerApplication(APPLICATION, this::withdraw);
    componentConfig.registerProperties(getClass());
    node.begin(context.getProperties()::get);
  }

  @Modified
  void modified(ComponentContext context) {
    node.change(context.getProperties()::get);
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
      return; // A hook that an earlier instance of this component left behind.
    }
    node.withdraw(); // What an operator set stays, as tenants and policies do: see deactivate.
  }

  public ApplicationId id() {
    return applicationId;
  }

  public Settings settings() {
    return node.settings();
  }

  public NodeJournal journal() {
    return node.journal();
  }
}
