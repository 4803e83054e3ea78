// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.profile;

import java.util.List;
import org.sluice.core.spi.Epoch;

/** At which sizes flows are to leave a level of priority for the next. */
public interface TunedLevels {

  /** Advances whenever {@link #thresholdsBytes} answers otherwise. */
  Epoch epoch();

  /** Bytes, rising; empty: nothing is tuned yet, and agents use their own. */
  List<Long> thresholdsBytes();
}
