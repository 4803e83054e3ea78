// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.setting;

import java.util.Comparator;
import java.util.Dictionary;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds the parameters in force and tells listeners of changes. */
public final class Settings {
  private static final Logger log = LoggerFactory.getLogger(Settings.class);

  private static final class Registration {
    final int stage;
    final SettingListener listener;

    Registration(int stage, SettingListener listener) {
      this.stage = stage;
      this.listener = listener;
    }
  }

  private final List<Registration> registrations = new CopyOnWriteArrayList<>();
  private final Consumer<String> warn;
  private volatile Parameters parameters = Parameters.defaults();

  /**
   * Settings with the default parameters.
   *
   * @param warn is told of every refused value
   */
  public Settings(Consumer<String> warn) {
    this.warn = warn;
  }

  public Parameters parameters() {
    return parameters;
  }

  /**
   * Takes over what is right in the properties, and tells listeners if that changed anything.
   *
   * @return what holds now
   */
  public synchronized Parameters read(Dictionary<String, ?> properties) {
    Parameters before = parameters;
    Parameters now = ParameterReader.read(properties, before, warn);
    if (now.equals(before)) {
      return now;
    }
    parameters = now;
    for (Registration registration : registrations) {
      guarded(() -> registration.listener.changed(before, now));
    }
    return now;
  }

  /** Asks listeners, by stage, to take everything back. */
  public synchronized void withdraw() {
    registrations.stream()
        .sorted(Comparator.comparingInt(registration -> registration.stage))
        .forEach(registration -> guarded(registration.listener::withdraw));
  }

  public void addListener(int stage, SettingListener listener) {
    registrations.add(new Registration(stage, listener));
  }

  public void removeListener(SettingListener listener) {
    registrations.removeIf(registration -> registration.listener == listener);
  }

  /** One listener's fault must not keep the others from hearing. */
  private static void guarded(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException e) {
      log.error("A component failed to follow a change of settings", e);
    }
  }
}
