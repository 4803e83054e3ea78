// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.platform;

import static org.sluice.api.Finding.Severity.NOTE;
import static org.sluice.api.Finding.Severity.WARNING;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.sluice.api.Finding;
import org.sluice.api.HostId;
import org.sluice.core.spi.OperatorCommand;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.Symptom;

/** What is wrong with the fabric as it was written down, and remedies that are files' lines. */
public final class StandaloneDiagnosis implements PlatformDiagnosis {
  private final Fabric fabric;
  private final Path file;
  private volatile String fileFault = "";
  private volatile Supplier<Optional<Finding>> kubernetes = Optional::empty;

  /**
   * One that finds nothing wrong yet.
   *
   * @param file the configuration
   */
  public StandaloneDiagnosis(Fabric fabric, Path file) {
    this.fabric = fabric;
    this.file = file;
  }

  /** Why a file could not be read anew; empty: all could. */
  public void setFileFault(String fault) {
    fileFault = fault;
  }

  /** What there is to be found about the cluster that tenants come from. */
  public void setKubernetes(Supplier<Optional<Finding>> finding) {
    kubernetes = finding;
  }

  @Override
  public List<Finding> findings() {
    List<Finding> found = new ArrayList<>();
    kubernetes.get().ifPresent(found::add);
    String fault = fileFault;
    if (!fault.isEmpty()) {
      found.add(
          Finding.of(
              WARNING,
              "configuration",
              "A file has changed and cannot be used; what was read last stays in force: " + fault,
              "sluiced config check"));
    }
    for (HostId host : fabric.misplaced()) {
      found.add(
          Finding.of(
              WARNING,
              "host " + host,
              "The topology file does not say where it is: nothing is controlled on the way to it",
              "Add it to hosts of the topology file"));
    }
    found.add(
        Finding.of(
            NOTE,
            "fabric",
            "No switch is reached: none holds endpoints whose agents are silent, or machines"
                + " without an agent, to a limit",
            "None is needed while every host has an agent; sluice-agent as a service is started"
                + " again whenever it ends"));
    return found;
  }

  @Override
  public Collection<Symptom> symptoms() {
    return List.of();
  }

  @Override
  public String command(OperatorCommand command, String what) {
    return command.withSluicectl(what);
  }

  @Override
  public String settingCommand(String setting, String value) {
    return setting + ": " + value + " under settings of " + file;
  }

  @Override
  public String capacityRemedy(String port) {
    return "Correct uplink.capacityMbps in agent.yaml of the host behind "
        + port
        + ", or capacityMbps of its link in the topology file";
  }

  @Override
  public String masterRemedy() {
    return "See that etcd and the other nodes run: sluicectl status";
  }

  @Override
  public String symptomRemedy(Symptom.Kind kind, String datapath) {
    return "Correct network.ports in " + file;
  }
}
