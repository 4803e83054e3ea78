// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.runtime.Clock;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.Settings;

/** A node's settings as an operator changes them, and the journal that says so. */
public final class NodeSettings {
  private static final Logger log = LoggerFactory.getLogger(NodeSettings.class);

  private final Settings settings = new Settings(this::refused);
  private final NodeJournal journal;

  /** All settings have their defaults. */
  public NodeSettings(Clock clock) {
    journal = new NodeJournal(clock);
  }

  public Settings settings() {
    return settings;
  }

  public NodeJournal journal() {
    return journal;
  }

  /**
   * The node begins.
   *
   * @param texts gives a setting's text by its name; null: it has its default
   */
  public void begin(Function<String, ?> texts) {
    settings.read(texts);
    String chosen = settings.parameters().differenceFrom(Parameters.defaults());
    log.info("Started with {}", chosen.isEmpty() ? "all properties at their defaults" : chosen);
  }

  /** An operator has changed something. */
  public void change(Function<String, ?> texts) {
    Parameters before = settings.parameters();
    Parameters now = settings.read(texts);
    if (!now.equals(before)) {
      String decision = now.differenceFrom(before);
      log.info("Changed settings: {}", decision);
      journal.write(JournalEntry.Kind.SETTING, decision, "before: " + before.differenceFrom(now));
    }
  }

  /** The application ends for good: everything that was put into switches and hosts goes. */
  public void withdraw() {
    settings.withdraw();
    log.info(
        "Removed rules, meters, limits and hints; tenants, policies, settings and claims stay");
  }

  private void refused(String warning) {
    log.warn(warning);
    journal.write(JournalEntry.Kind.REFUSED, "A property is refused", warning);
  }
}
