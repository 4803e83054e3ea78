// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.vector;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.sluice.sim.shim.law.NoticeParameters;
import org.sluice.sim.shim.law.TwoTimeScaleParameters;

/** Typed values of what {@link VectorFile} has read. */
public final class VectorValues {
  private VectorValues() {}

  /** The names that an index lists. */
  public static Stream<String> listedIn(String index) {
    return ((List<?>) VectorFile.read(index).get("vectors")).stream().map(String.class::cast);
  }

  @SuppressWarnings("unchecked")
  public static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  public static long whole(Map<String, Object> of, String key) {
    return Long.parseLong((String) of.get(key));
  }

  public static double number(Map<String, Object> of, String key) {
    return Double.parseDouble((String) of.get(key));
  }

  /** A number that may be absent. */
  public static double number(Map<String, Object> of, String key, double absent) {
    return of.containsKey(key) ? number(of, key) : absent;
  }

  public static boolean flag(Map<String, Object> of, String key) {
    return "true".equals(of.get(key));
  }

  /** The constants of Sluice's law; in a vector without them, notices change nothing. */
  public static TwoTimeScaleParameters twoTimeScale(Map<String, Object> parameters) {
    Map<String, Object> result = new HashMap<>(parameters);
    Object notices = parameters.get("notices");
    result.put(
        "notices",
        notices == null ? NoticeParameters.NONE : fill(NoticeParameters.class, map(notices)));
    return fill(TwoTimeScaleParameters.class, result);
  }

  /** Parameters have the same names in both languages. */
  public static <T> T fill(Class<T> record, Map<String, Object> parameters) {
    RecordComponent[] components = record.getRecordComponents();
    assertThat(parameters.keySet())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(components).map(RecordComponent::getName).toList());
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      Object value = parameters.get(components[i].getName());
      if (types[i] == NoticeParameters.class) {
        values[i] = value;
        continue;
      }
      String text = (String) value;
      if (types[i] == double.class) {
        values[i] = Double.parseDouble(text);
      } else if (types[i] == long.class) {
        values[i] = Long.parseLong(text);
      } else {
        values[i] = Integer.parseInt(text);
      }
    }
    try {
      return record.getConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
