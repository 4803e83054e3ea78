// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.junit.jupiter.api.Test;

/** Whatever names something that there is can be completed. */
class CompletionTest {
  /** Names of arguments and options that stand for something that Sluice knows. */
  private static final Set<String> NAMING =
      Set.of(
          "id",
          "port",
          "endpoint",
          "endpoint or flow",
          "bridge",
          "state",
          "policies",
          "--port",
          "--endpoint",
          "--tenant",
          "--host",
          "--kind",
          "--state",
          "--ecn");

  private static List<Class<?>> commands() throws Exception {
    File classes =
        new File(SluiceCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Class<?>> found = new ArrayList<>();
    for (String name : new File(classes, "org/sluice/cli").list()) {
      if (name.endsWith("Command.class")) {
        found.add(Class.forName("org.sluice.cli." + name.replace(".class", "")));
      }
    }
    return found;
  }

  /** Karaf takes what stands behind the first argument for arguments, and -j is one of these. */
  @Test
  void jsonOptionMayStandBehindEveryArgument() throws Exception {
    List<String> single = new ArrayList<>();
    for (Class<?> command : commands()) {
      for (Field field : command.getDeclaredFields()) {
        Argument argument = field.getAnnotation(Argument.class);
        if (argument != null && !argument.multiValued()) {
          single.add(command.getSimpleName() + " " + argument.name());
        }
      }
    }
    assertThat(single).isEmpty();
  }

  @Test
  void everyIdentifierIsCompleted() throws Exception {
    List<String> found = new ArrayList<>();
    List<String> lacking = new ArrayList<>();
    for (Class<?> command : commands()) {
      for (Field field : command.getDeclaredFields()) {
        Argument argument = field.getAnnotation(Argument.class);
        Option option = field.getAnnotation(Option.class);
        String name = argument != null ? argument.name() : option != null ? aliasOf(option) : "";
        if (NAMING.contains(name)) {
          found.add(name);
          if (field.getAnnotation(Completion.class) == null) {
            lacking.add(command.getSimpleName() + " " + name);
          }
        }
      }
    }
    assertThat(found).hasSizeGreaterThan(12);
    assertThat(lacking).isEmpty();
  }

  private static String aliasOf(Option option) {
    return option.aliases().length > 0 ? option.aliases()[0] : option.name();
  }
}
