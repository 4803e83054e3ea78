// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalQuery;
import org.sluice.api.JournalService;
import org.sluice.api.TenantId;

/** What sluice-journal requests. */
class JournalCommandTest {
  private JournalQuery asked = JournalQuery.builder().build();
  private final Shell shell = new Shell(new OnlyTheJournal(), JournalCommand.class);

  private List<JournalEntry> entries(JournalQuery query) {
    asked = query;
    return List.of();
  }

  @AfterEach
  void close() {
    shell.close();
  }

  @Test
  void queryMatchesTheOptions() throws Exception {
    final Instant before = Instant.now();
    shell.type("sluice-journal -k cap -k unit-share -e h1/vm0 -t gold -a 3 -b 99 -s 10min -n 7");
    assertThat(asked.kinds())
        .isEqualTo(Set.of(JournalEntry.Kind.CAP, JournalEntry.Kind.UNIT_SHARE));
    assertThat(asked.endpoint()).isEqualTo(Optional.of(EndpointId.parse("h1/vm0")));
    assertThat(asked.tenant()).isEqualTo(Optional.of(TenantId.of("gold")));
    assertThat(asked.afterSequence()).isEqualTo(3);
    assertThat(asked.beforeSequence()).isEqualTo(99);
    assertThat(asked.limit()).isEqualTo(7);
    assertThat(asked.since().get())
        .isBetween(before.minusSeconds(600), Instant.now().minusSeconds(599));
  }

  @Test
  void unknownKindIsRejectedWithTheValidOnes() throws Exception {
    String all =
        Arrays.stream(JournalEntry.Kind.values())
            .map(JournalEntry.Kind::text)
            .collect(Collectors.joining(", "));
    assertThatThrownBy(() -> shell.type("sluice-journal -k cups"))
        .hasMessageContaining("--kind 'cups'")
        .hasMessageContaining(all);
  }

  @Test
  void rejectsInvalidTimes() throws Exception {
    assertThatThrownBy(() -> shell.type("sluice-journal -s yesterday"))
        .hasMessageContaining("--since 'yesterday'")
        .hasMessageContaining("10min");
  }

  private final class OnlyTheJournal implements ServiceDirectory {
    @Override
    public <T> T get(Class<T> service) {
      if (service != JournalService.class) {
        throw new ServiceNotFoundException("none");
      }
      JournalService journal = JournalCommandTest.this::entries;
      return service.cast(journal);
    }
  }
}
