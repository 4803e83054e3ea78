// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.sluice.api.Finding;
import org.sluice.core.spi.OperatorCommand;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.Symptom;

/** A platform that finds wrong what a test says. */
public final class FakeDiagnosis implements PlatformDiagnosis {
  public final List<Finding> findings = new ArrayList<>();
  public final List<Symptom> symptoms = new ArrayList<>();

  /** Whether operators have a shell. */
  public boolean hasShell = true;

  @Override
  public String command(OperatorCommand command, String what) {
    return hasShell ? command.inShell(what) : command.withSluicectl(what);
  }

  @Override
  public List<Finding> findings() {
    return List.copyOf(findings);
  }

  @Override
  public Collection<Symptom> symptoms() {
    return List.copyOf(symptoms);
  }

  @Override
  public String settingCommand(String setting, String value) {
    return "set " + setting + " " + value;
  }

  @Override
  public String capacityRemedy(String port) {
    return "configure " + port;
  }

  @Override
  public String masterRemedy() {
    return "elect a master";
  }

  @Override
  public String symptomRemedy(Symptom.Kind kind, String datapath) {
    return "show " + kind + " of " + datapath;
  }
}
