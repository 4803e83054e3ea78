// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds the parameters in force and notifies listeners of changes. */
public final class Settings {
  private static final Logger log = LoggerFactory.getLogger(Settings.class);

  private static final class Registration {
    final WithdrawStage stage;
    final SettingListener listener;

    Registration(WithdrawStage stage, SettingListener listener) {
      this.stage = stage;
      this.listener = listener;
    }
  }

  private final List<Registration> registrations = new CopyOnWriteArrayList<>();
  private final Consumer<String> warn;
  private volatile Parameters parameters = Parameters.defaults();
  private volatile List<String> refusals = List.of();

  /**
   * Settings with the default parameters.
   *
   * @param warn receives every refused value
   */
  public Settings(Consumer<String> warn) {
    this.warn = warn;
  }

  public Parameters parameters() {
    return parameters;
  }

  /** What of the texts that were read last is refused or of no effect, in sentences. */
  public List<String> refusals() {
    return refusals;
  }

  /** A setting's value in force. */
  public <T> T get(Setting<T> setting) {
    return parameters.get(setting);
  }

  /**
   * Takes over what is right in an operator's texts, and notifies listeners if that changed
   * anything.
   *
   * @param texts gives a setting's text by its name; null: it stays
   * @return what holds now
   */
  public synchronized Parameters read(Function<String, ?> texts) {
    Parameters before = parameters;
    List<String> refused = new ArrayList<>();
    Parameters now = before.read(texts, refused::add);
    refused.forEach(warn);
    refusals = List.copyOf(refused);
    if (now.equals(before)) {
      return before;
    }
    parameters = now;
    for (Registration registration : registrations) {
      guarded(() -> registration.listener.changed(before, now));
    }
    return now;
  }

  /** Has listeners, by stage, take everything back. */
  public synchronized void withdraw() {
    registrations.stream()
        .sorted(Comparator.comparing(registration -> registration.stage))
        .forEach(registration -> guarded(registration.listener::withdraw));
  }

  public void addListener(WithdrawStage stage, SettingListener listener) {
    registrations.add(new Registration(stage, listener));
  }

  public void removeListener(SettingListener listener) {
    registrations.removeIf(registration -> registration.listener == listener);
  }

  /** One listener's fault must not keep the others from being notified. */
  private static void guarded(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException e) {
      log.error("A component could not apply a change of settings", e);
    }
  }
}
