// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import java.util.concurrent.ScheduledExecutorService;
import org.opendaylight.yangtools.concepts.Registration;
import org.sluice.core.spi.Leadership;
import org.sluice.core.testing.LeadershipConformance;
import org.sluice.core.testing.VirtualTime;
import org.sluice.core.virtual.ProcessStorage;
import org.sluice.odl.Singleton;
import org.sluice.odl.line.Mdsal;

/** Leadership over singletons of a cluster in which no other node runs. */
class OdlLeadershipTest extends LeadershipConformance {
  private final VirtualTime time = new VirtualTime();
  private final Mdsal mdsal =
      new Mdsal() {
        @Override
        public Registration candidate(Singleton singleton) {
          singleton.won();
          return singleton::lost;
        }
      };
  private final ScheduledExecutorService writer = time.sequential("writer");
  private final OdlLeadership leadership =
      new OdlLeadership(mdsal, new ProcessStorage().map("terms"), writer);

  @Override
  protected Leadership leadership() {
    return leadership;
  }

  @Override
  protected void until(Runnable assertion) {
    time.advanceMillis(1);
    assertion.run();
  }
}
