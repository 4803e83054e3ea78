// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowWish;

/** Registers a flow with a deadline. */
@Service
@Command(
    scope = "onos",
    name = "sluice-flow-add",
    description =
        "Asks for a deadline and registers the flow: source and destination with or without port,"
            + " payload in bytes, time from now in ms")
public final class FlowAddCommand extends SluiceCommand {
  private static final List<String> FLAGS = List.of("-j", "--json", "-f", "--force");
  private static final int ARGUMENTS = 4;
  private static final int NANO_DECIMALS = 6;
  private static final BigDecimal MOST_MILLIS = BigDecimal.valueOf(Long.MAX_VALUE, NANO_DECIMALS);

  @Argument(
      name = "source destination size due",
      description = "Such as 10.0.0.1 10.0.0.5:5001 400000 300; options may also follow",
      required = true,
      multiValued = true)
  private List<String> words;

  @Option(
      name = "-f",
      aliases = "--force",
      description = "Register it also if the deadline cannot be met")
  private boolean force;

  private boolean jsonAfterwards;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    if (words.size() < ARGUMENTS) {
      throw SluiceException.invalid(
          "arguments",
          String.join(" ", words),
          "A flow is given by source, destination, size and due",
          "Type for example: sluice-flow-add 10.0.0.1 10.0.0.5:5001 400000 300");
    }
    TrailingOptions behind =
        new TrailingOptions(words.subList(ARGUMENTS, words.size()), Map.of(), FLAGS);
    jsonAfterwards = behind.has("-j") || behind.has("--json");
    boolean forced = force || behind.has("-f") || behind.has("--force");
    String remedy = "Use an address such as 10.0.0.5 or 10.0.0.5:5001";
    FlowEnd from = Arguments.parse("source", words.get(0), FlowEnd::parse, remedy);
    FlowEnd to = Arguments.parse("destination", words.get(1), FlowEnd::parse, remedy);
    long size = Arguments.number("size", words.get(2), 1, Long.MAX_VALUE);
    FlowKey key =
        Arguments.parse(
            "destination",
            words.get(1),
            typed -> FlowKey.of(from.address(), from.port(), to.address(), to.port()),
            "Name another endpoint, of the same kind");
    FlowDecision decision =
        get(FlowAdminService.class).register(FlowWish.of(key, size, nanos(words.get(3)), forced));
    if (decision.flow().isEmpty()) {
      throw cannotBeMet(words.get(3), decision.admission().earliestNanos());
    }
    show(Listings.FLOWS, List.of(decision.flow().get()));
  }

  private static long nanos(String typed) throws SluiceException {
    String remedy = "Use a number of milliseconds above 0";
    BigDecimal millis = Arguments.parse("due", typed, BigDecimal::new, remedy);
    if (millis.signum() <= 0 || millis.compareTo(MOST_MILLIS) > 0) {
      throw SluiceException.invalid("due", typed, "This is out of range", remedy);
    }
    return millis.setScale(NANO_DECIMALS, RoundingMode.CEILING).unscaledValue().longValue();
  }

  private static SluiceException cannotBeMet(String due, OptionalLong earliest) {
    return SluiceException.conflict(
        "due",
        due,
        "The deadline cannot be met",
        earliest.isPresent()
            ? "The earliest that can is "
                + Listings.millisUp(earliest.getAsLong()).toPlainString()
                + " ms; --force registers it all the same"
            : "None can: nothing is left to promise; --force registers it all the same");
  }

  @Override
  protected boolean outputJson() {
    return jsonAfterwards || super.outputJson();
  }
}
