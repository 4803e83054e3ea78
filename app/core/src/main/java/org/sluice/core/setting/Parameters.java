// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.sluice.api.Law;
import org.sluice.engine.marks.Signals;

/** A value for every setting of the {@link SettingTable}. Immutable. */
public final class Parameters {
  private static final Parameters DEFAULTS = new Parameters(Map.of());

  /** By setting; one that is not there has its default. */
  private final Map<Setting<?>, Object> values;

  private Parameters(Map<Setting<?>, Object> values) {
    this.values = Map.copyOf(values);
  }

  /** Every setting at its default. */
  public static Parameters defaults() {
    return DEFAULTS;
  }

  /** A setting's value. */
  @SuppressWarnings("unchecked") // with() and read() put nothing else there
  public <T> T get(Setting<T> setting) {
    return (T) values.getOrDefault(setting, setting.defaultValue());
  }

  /** The same with another value. */
  public <T> Parameters with(Setting<T> setting, T value) {
    Map<Setting<?>, Object> changed = new HashMap<>(values);
    changed.put(setting, value);
    return new Parameters(changed);
  }

  /**
   * What an operator's texts say, over these. A value that cannot be right leaves what held before
   * in force and yields a warning that names the setting, the value and what would be accepted.
   *
   * @param texts gives a setting's text by its name; null: what held before stays
   * @param warn receives every refusal
   */
  public Parameters read(Function<String, ?> texts, Consumer<String> warn) {
    Map<Setting<?>, Object> read = new HashMap<>(values);
    for (Setting<?> setting : SettingTable.all()) {
      Object text = texts.apply(setting.name());
      if (text != null) {
        Optional<?> value = setting.parse(text.toString());
        if (value.isPresent()) {
          read.put(setting, value.get());
        } else {
          warn.accept(refusal(setting, text.toString().trim()));
        }
      }
    }
    Parameters parameters = new Parameters(read);
    parameters.checkTogether(warn);
    return parameters;
  }

  private String refusal(Setting<?> setting, String text) {
    String kept = setting.write(get(setting));
    String culprit = setting.culprit(text);
    return "Property "
        + setting.name()
        + " = '"
        + text
        + "' is refused"
        + (culprit.equals(text) ? "" : " for '" + culprit + "'")
        + ": use "
        + setting.accepted()
        + ". "
        + (kept.isEmpty() ? "nothing" : kept)
        + " stays in force.";
  }

  /** Whether a tenant's endpoints share what the tenant is due: the published law knows of none. */
  public boolean sharesAmongTenants() {
    return get(SettingTable.LAW) == Law.SLUICE
        && get(SettingTable.SHARE) == SettingTable.Share.TENANT;
  }

  /** Each value may be right, and one of them be of no effect beside another. */
  private void checkTogether(Consumer<String> warn) {
    if (get(SettingTable.NOTICES) == SettingTable.Notices.IN_BAND && !noticesInBand()) {
      warn.accept(
          "Property notices = 'in-band' has no effect while forwarding = other: Sluice puts no"
              + " packets into a network that it does not forward. Notices go by the link; set"
              + " notices = link, or forwarding = own.");
    }
    if (get(SettingTable.FLOWS) == SettingTable.Flows.SWITCH && !switchFlows()) {
      warn.accept(
          "Property flows = 'switch' has no effect while forwarding = other: Sluice puts no rules"
              + " into a network that it does not forward. Hosts report flows; set flows = host, or"
              + " forwarding = own.");
    }
    if (get(SettingTable.LOSS_ANSWERS_BY) == SettingTable.LossAnswersBy.PACKET_OUT
        && !forwardsItself()) {
      warn.accept(
          "Property lossAnswersBy = 'packet-out' has no effect while forwarding = other: Sluice puts"
              + " no packets into a network that it does not forward. Port agents send lost packets"
              + " again; set lossAnswersBy = agents, or forwarding = own.");
    }
  }

  /** What background flows are capped by now: nothing, while nothing is enforced. */
  public SettingTable.Caps capsInForce() {
    return get(SettingTable.ENFORCEMENT) ? get(SettingTable.CAPS) : SettingTable.Caps.OFF;
  }

  /** Whether the controller says at which sizes flows leave a level. */
  public boolean tunesLevels() {
    return get(SettingTable.LEVEL_THRESHOLDS) == SettingTable.LevelThresholds.TUNED;
  }

  /** Whether agents are to report how much flows have sent. */
  public boolean needsFlowSizes() {
    return get(SettingTable.CAPS) != SettingTable.Caps.OFF || tunesLevels();
  }

  /** Whether switches are to report how much flows have sent. */
  public boolean samplesFlows() {
    return get(SettingTable.SFLOW_PORT) != 0;
  }

  /** Whether it is to be known how much flows have sent: to decide, or to be shown. */
  public boolean followsFlowSizes() {
    return needsFlowSizes() || samplesFlows();
  }

  /** Whether only notices report marks to sources: receivers do not. */
  public boolean noticesAlone() {
    Signals signals = get(SettingTable.SIGNALS);
    return signals == Signals.METERS || signals == Signals.PORTS;
  }

  /**
   * Whether notices go in band. Where somebody else forwards they do not: Sluice puts nothing into
   * a network that is not its own.
   */
  public boolean noticesInBand() {
    return get(SettingTable.NOTICES) == SettingTable.Notices.IN_BAND && forwardsItself();
  }

  /**
   * Whether switches report connections. Where somebody else forwards they do not: Sluice puts no
   * rule into a network that is not its own.
   */
  public boolean switchFlows() {
    return get(SettingTable.FLOWS) == SettingTable.Flows.SWITCH && forwardsItself();
  }

  /** Whether lost packets are sent again by packet-out; likewise. */
  public boolean packetOutAnswers() {
    return get(SettingTable.LOSS_ANSWERS)
        && get(SettingTable.LOSS_ANSWERS_BY) == SettingTable.LossAnswersBy.PACKET_OUT
        && forwardsItself();
  }

  private boolean forwardsItself() {
    return get(SettingTable.FORWARDING) == SettingTable.Forwarding.OWN;
  }

  /** Those settings that are not as in the other ones, in a line. */
  public String differenceFrom(Parameters other) {
    List<String> different = new ArrayList<>();
    for (Setting<?> setting : SettingTable.all()) {
      Object value = get(setting);
      if (!value.equals(other.get(setting))) {
        String text = setting.write(value);
        different.add(setting.name() + " = " + (text.isEmpty() ? "nothing" : text));
      }
    }
    return String.join(", ", different);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Parameters
        && SettingTable.all().stream()
            .allMatch(setting -> get(setting).equals(((Parameters) other).get(setting)));
  }

  @Override
  public int hashCode() {
    int hash = 0;
    for (Setting<?> setting : SettingTable.all()) {
      hash = 31 * hash + get(setting).hashCode();
    }
    return hash;
  }

  @Override
  public String toString() {
    return differenceFrom(DEFAULTS);
  }
}
