// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.sluice;

import java.util.function.Supplier;
import org.sluice.sim.shim.law.HostLaw;
import org.sluice.sim.shim.queue.ClassQueueParameters;
import org.sluice.sim.shim.queue.Enforcement;

/**
 * How the shims of a network work.
 *
 * @param newLaw makes the law of a congested port
 * @param tauNanos how often a host reads its counters, sends feedback, and steps its laws
 * @param markReportNanos how soon marks after the first are reported: SDN-GCC's notices are of the
 *     marks themselves, elsewhere they are looked at once in T_i
 * @param endOfMarksNanos for how long after a mark packets without one are reported at once;
 *     Sluice's law is at rest without marks, and does not ask for them later
 * @param enforcement what happens to packets above a limit
 * @param mtuBytes largest IP packet
 * @param overheadBytes what links add to a packet, charged by limits and counters
 * @param bucketNanos see {@link ClassQueueParameters#bucketNanos}
 * @param leaseNanos for how long limits hold after an agent's death
 * @param staleNanos how old a published share may be and still show that the controller is there
 * @param preserveEcn whether virtual machines that have agreed on ECN see the marks
 * @param noticesAlone whether shims send each other no feedback
 * @param receiverWindows whether what endpoints receive is held to windows
 */
public record ShimParameters(
    Supplier<HostLaw> newLaw,
    long tauNanos,
    long markReportNanos,
    long endOfMarksNanos,
    Enforcement enforcement,
    int mtuBytes,
    int overheadBytes,
    long bucketNanos,
    long leaseNanos,
    long staleNanos,
    boolean preserveEcn,
    boolean noticesAlone,
    boolean receiverWindows) {

  /** What follows for a NIC's queue. */
  ClassQueueParameters classesOf(long nicBitsPerSecond) {
    return new ClassQueueParameters(
        nicBitsPerSecond, mtuBytes, overheadBytes, enforcement, bucketNanos);
  }
}
