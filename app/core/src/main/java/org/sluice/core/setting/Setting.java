// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.setting;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.sluice.api.IpAddress;

/**
 * A setting of the controller: its name, what is accepted, its default, what it does. {@link
 * SettingTable} has them all.
 *
 * @param <T> what its values are
 */
public final class Setting<T> {
  private final String name;
  private final Class<?> type;
  private final T defaultValue;
  private final String description;
  private final String accepted;
  private final Function<String, Optional<T>> parser;
  private final UnaryOperator<String> culprit;

  private Setting(
      String name,
      Class<?> type,
      T defaultValue,
      String description,
      String accepted,
      Function<String, Optional<T>> parser) {
    this(name, type, defaultValue, description, accepted, parser, UnaryOperator.identity());
  }

  private Setting(
      String name,
      Class<?> type,
      T defaultValue,
      String description,
      String accepted,
      Function<String, Optional<T>> parser,
      UnaryOperator<String> culprit) {
    this.name = name;
    this.type = type;
    this.defaultValue = defaultValue;
    this.description = description;
    this.accepted = accepted;
    this.parser = parser;
    this.culprit = culprit;
  }

  /** One that is on or off. */
  static Setting<Boolean> toggle(String name, boolean defaultValue, String description) {
    return new Setting<>(
        name,
        Boolean.class,
        defaultValue,
        description,
        "on or off",
        text ->
            text.equals("on")
                ? Optional.of(true)
                : text.equals("off") ? Optional.of(false) : Optional.empty());
  }

  /** One of an enum's constants, written in lower case with hyphens. */
  static <E extends Enum<E>> Setting<E> choice(String name, E defaultValue, String description) {
    List<E> constants = Arrays.asList(defaultValue.getDeclaringClass().getEnumConstants());
    return new Setting<>(
        name,
        defaultValue.getDeclaringClass(),
        defaultValue,
        description,
        constants.stream().map(Setting::word).collect(Collectors.joining(" or ")),
        text -> constants.stream().filter(one -> word(one).equals(text)).findFirst());
  }

  /** A whole number. */
  static Setting<Integer> number(
      String name, int defaultValue, int least, int most, String description) {
    return new Setting<>(
        name,
        Integer.class,
        defaultValue,
        description,
        "a whole number from " + least + " to " + most,
        text -> parseNumber(text).filter(number -> number >= least && number <= most));
  }

  private static Optional<Integer> parseNumber(String text) {
    try {
      return Optional.of(Integer.parseInt(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /**
   * The path of a file, or nothing. Whether it can be read is found out where it is: a list of who
   * is let in must not be taken for none because it cannot be read.
   */
  static Setting<String> list(String name, String description) {
    return new Setting<>(
        name,
        String.class,
        "",
        description,
        "the path of a file that the controller can read, or nothing",
        Optional::of);
  }

  /** The path of a PEM file that can be read now, or nothing. */
  static Setting<String> file(String name, String description) {
    return new Setting<>(
        name,
        String.class,
        "",
        description,
        "the path of a PEM file that the controller can read, or nothing",
        text ->
            text.isEmpty() || Files.isReadable(Path.of(text))
                ? Optional.of(text)
                : Optional.empty());
  }

  /** Addresses of machines, with commas between, or nothing; nothing is the default. */
  static Setting<List<IpAddress>> addresses(String name, int most, String description) {
    return new Setting<>(
        name,
        List.class,
        List.of(),
        description,
        "at most " + most + " IPv4 or IPv6 addresses of machines with commas between, or nothing",
        text -> AddressList.parse(text, most),
        AddressList::firstWrong);
  }

  /** An address, or nothing, which is the default. */
  static Setting<String> address(String name, String description) {
    return new Setting<>(
        name,
        String.class,
        "",
        description,
        "an IPv4 or IPv6 address, or nothing",
        text ->
            text.isEmpty()
                ? Optional.of(text)
                : AddressList.literal(text).map(IpAddress::toString));
  }

  /** The same, but for one value of the enum, which is refused with what is accepted instead. */
  Setting<T> without(T refused, String accepts) {
    return new Setting<>(
        name,
        type,
        defaultValue,
        description,
        accepts,
        text -> parser.apply(text).filter(value -> !value.equals(refused)),
        culprit);
  }

  public String name() {
    return name;
  }

  /** {@code Boolean}, {@code Integer}, {@code String}, {@code List}, or an enum. */
  public Class<?> type() {
    return type;
  }

  public T defaultValue() {
    return defaultValue;
  }

  /** What it does and what its values mean, for an operator. */
  public String description() {
    return description;
  }

  /** What is accepted, for an operator. */
  public String accepted() {
    return accepted;
  }

  /** The value that a text stands for; empty: it is not accepted. */
  public Optional<T> parse(String text) {
    return parser.apply(text.trim());
  }

  /** The part of a text that is not accepted for which it is not. */
  String culprit(String text) {
    return culprit.apply(text.trim());
  }

  /** A value as an operator writes it. */
  public String write(Object value) {
    if (value instanceof Boolean) {
      return (Boolean) value ? "on" : "off";
    }
    if (value instanceof List) {
      return AddressList.write((List<?>) value);
    }
    return value instanceof Enum ? word((Enum<?>) value) : value.toString();
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public String toString() {
    return name;
  }
}
