// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import org.onosproject.cfg.ComponentConfigService;
import org.onosproject.cfg.ConfigProperty;

/** A property of Sluice that explains what a command shows. */
enum Setting {
  /** What background flows are capped by. */
  CAPS("caps", "off"),
  /** Where samples of switches are awaited; 0: nowhere. */
  SFLOW_PORT("sflowPort", "0");

  private static final String COMPONENT = "org.sluice.onos.SluiceManager";

  private final String property;
  private final String unset;

  Setting(String property, String unset) {
    this.property = property;
    this.unset = unset;
  }

  /** Its value now, as an operator sets it. */
  String value(SluiceCommand command) {
    ConfigProperty set =
        command.service(ComponentConfigService.class).getProperty(COMPONENT, property);
    return set == null ? unset : set.value();
  }

  /** How it is set. */
  String remedy(String value) {
    return "cfg set " + COMPONENT + " " + property + " " + value;
  }
}
