// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.karaf.shell.support.CommandException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.DoctorService;
import org.sluice.api.Finding;
import org.sluice.api.Finding.Severity;

/** What sluice-doctor comes to in a script. */
class DoctorCommandTest {
  private final Shell shell = new Shell(new Services(), DoctorCommand.class);
  private List<Finding> findings = List.of();

  @AfterEach
  void close() {
    shell.close();
  }

  @Test
  void failsWithFindingsOnRequest() throws Exception {
    shell.type("sluice-doctor -j --exit-code");
    findings = List.of(Finding.of(Severity.NOTE, "tenant t1", "It has no endpoints", "none"));
    shell.type("sluice-doctor -j --exit-code");
    findings = List.of(Finding.of(Severity.WARNING, "tenant t1", "It has no members", "add one"));
    shell.type("sluice-doctor -j");
    assertThatThrownBy(() -> shell.type("sluice-doctor -j --exit-code"))
        .isInstanceOf(CommandException.class);
    assertThat(shell.printed()).contains("It has no members");
  }

  private final class Services implements ServiceDirectory {
    @Override
    public <T> T get(Class<T> type) {
      if (type.equals(DoctorService.class)) {
        return type.cast((DoctorService) () -> findings);
      }
      throw new ServiceNotFoundException(type.getName());
    }
  }
}
