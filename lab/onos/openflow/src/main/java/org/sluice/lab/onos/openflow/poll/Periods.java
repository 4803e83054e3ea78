// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.poll;

import java.util.Dictionary;
import org.onlab.util.Tools;
import org.osgi.service.component.ComponentContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a polling period from a component's properties. */
public final class Periods {

  private static final Logger LOG = LoggerFactory.getLogger(Periods.class);

  private Periods() {}

  /**
   * Returns the period in seconds that a property holds, or {@code current} when it is absent or
   * not a whole number of at least 1.
   */
  public static int seconds(ComponentContext context, String property, int current) {
    Dictionary<?, ?> properties = context.getProperties();
    String text = Tools.get(properties, property);
    if (text == null) {
      return current;
    }
    try {
      int seconds = Integer.parseInt(text);
      if (seconds >= 1) {
        return seconds;
      }
    } catch (NumberFormatException e) {
      LOG.debug("{} is not a number", text);
    }
    LOG.warn("{} = {}: give whole seconds, at least 1; staying at {}", property, text, current);
    return current;
  }
}
