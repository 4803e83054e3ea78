// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.openflow;

import java.util.function.BiConsumer;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.MeterId;

/**
 * Gives a meter another rate where it is: rules that use it stay, and packets pass meanwhile.
 * ONOS's store goes on having the rate with which the meter was made, and gives it back to a switch
 * that has lost the meter.
 */
public interface MeterRates {

  /**
   * Has a switch change a meter of kilobits that drops what exceeds its rate. Open vSwitch fills
   * its bucket then.
   *
   * @return whether it was sent; false: the switch is away, or this node is not its master
   */
  boolean change(DeviceId device, MeterId meter, long kilobitsPerSecond, long burstKilobits);

  /** Receives meters that a switch has refused to change, on any thread. */
  void setRefusalListener(BiConsumer<DeviceId, MeterId> listener);
}
