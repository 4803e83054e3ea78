// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

/** What a system sends beside the traffic that it controls, in messages since the start. */
public interface ControlTraffic {
  /** Without a controller, and without messages between hosts. */
  ControlTraffic NONE =
      new ControlTraffic() {
        @Override
        public long controllerMessages() {
          return 0;
        }

        @Override
        public long hostMessages() {
          return 0;
        }
      };

  /** From and to a controller, lost ones too; a reading of a switch is a request and an answer. */
  long controllerMessages();

  /** From host to host. */
  long hostMessages();
}
