// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.history;

import java.util.List;

/** What tenants got in the last hour, as this node saw it. */
public interface RateHistoryService {
  /** How far back it goes. */
  int SECONDS = 3600;

  /** Between two moments. */
  int STEP_SECONDS = 5;

  /** What was at most so many seconds ago, oldest first. */
  List<RateMoment> moments(int seconds);
}
