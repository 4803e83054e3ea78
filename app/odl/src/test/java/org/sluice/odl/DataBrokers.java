// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl;

import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.dom.adapter.test.AbstractConcurrentDataBrokerTest;
import org.sluice.odl.line.Mdsal;

/** OpenDaylight's own data broker, in memory. */
public final class DataBrokers {
  private DataBrokers() {}

  private static final class Made extends AbstractConcurrentDataBrokerTest {
    Made() {
      super(true);
    }
  }

  /** A broker with an empty datastore. */
  public static Mdsal mdsal() {
    Made made = new Made();
    try {
      made.setup();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    DataBroker inMemory = made.getDataBroker();
    return new Mdsal() {
      @Override
      public DataBroker broker() {
        return inMemory;
      }
    };
  }
}
