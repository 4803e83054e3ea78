// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.Collection;
import java.util.List;
import org.sluice.api.Finding;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.Symptom;

/** A platform with which nothing is ever wrong. */
final class NoDiagnosis implements PlatformDiagnosis {
  @Override
  public List<Finding> findings() {
    return List.of();
  }

  @Override
  public Collection<Symptom> symptoms() {
    return List.of();
  }

  @Override
  public String settingCommand(String setting, String value) {
    return "set " + setting + " to " + value + " in the scenario";
  }

  @Override
  public String capacityRemedy(String port) {
    return "give the link of " + port + " a rate";
  }

  @Override
  public String masterRemedy() {
    return "there is always a master";
  }

  @Override
  public String symptomRemedy(Symptom.Kind kind, String datapath) {
    return "there is no such symptom";
  }
}
