// SPDX-License-Identifier: Apache-2.0
/**
 * What Micro-flow has to remember of the network: the micro queues that are evaluated, the upstream
 * ports' background queues with their caps, the background flows, and the sizes of flows.
 *
 * <p>{@link org.sluice.engine.micro.MicroFlowControl} is the entrance. The law is {@link
 * org.sluice.engine.law.MicroFlowLaw}, or {@link org.sluice.engine.law.FeederLaw}.
 */
package org.sluice.engine.micro;
