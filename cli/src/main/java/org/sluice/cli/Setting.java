// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import org.onosproject.cfg.ComponentConfigService;
import org.onosproject.cfg.ConfigProperty;

/** A property of Sluice that explains what a command shows. */
enum Setting {
  /** What background flows are capped by. */
  CAPS("caps");

  private static final String COMPONENT = "org.sluice.onos.SluiceManager";

  private final String property;

  Setting(String property) {
    this.property = property;
  }

  /** Its value now, as an operator sets it. */
  String value(SluiceCommand command) {
    ConfigProperty set =
        command.service(ComponentConfigService.class).getProperty(COMPONENT, property);
    return set == null ? "off" : set.value();
  }

  /** How it is set. */
  String remedy(String value) {
    return "cfg set " + COMPONENT + " " + property + " " + value;
  }
}
