// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import java.util.SplittableRandom;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;

/**
 * A client that sends a server requests over connections that stay open, and writes down how long
 * each answer took: from the request's first byte written to the answer's last byte read. One
 * request is outstanding at a time; one that falls due before is sent as soon as the answer is
 * here.
 *
 * <p>Each direction is a {@link TcpFlow} of its own: data does not carry the other's
 * acknowledgements.
 */
public final class RequestResponse {
  private final Scheduler scheduler;
  private final Plan plan;
  private final SplittableRandom random;
  private final TcpFlow requests;
  private final TcpFlow responses;
  private final LatencyRecord latencies = new LatencyRecord();
  private final Event nextRequest = new NextRequest();
  private final Event stopping = new Stopping();
  private long requestedNanos;
  private long dueNanos;
  private boolean stopped;

  /**
   * What is requested, and how often.
   *
   * @param requestBytes at least 1
   * @param responseBytes at least 1
   * @param intervalNanos from one request to the next, at least 0: then each follows the answer
   * @param exponential whether intervals are exponentially distributed with that mean, else fixed
   */
  public record Plan(
      long requestBytes, long responseBytes, long intervalNanos, boolean exponential) {
    public Plan {
      requireAtLeast("requestBytes", requestBytes, 1);
      requireAtLeast("responseBytes", responseBytes, 1);
      requireAtLeast("intervalNanos", intervalNanos, 0);
    }

    private static void requireAtLeast(String name, long value, long least) {
      if (value < least) {
        throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
      }
    }
  }

  /**
   * @param name not another flow's
   */
  public RequestResponse(
      Network network,
      String name,
      Endpoint client,
      Endpoint server,
      TcpParameters parameters,
      Plan plan) {
    this.scheduler = network.scheduler();
    this.plan = plan;
    this.random = network.random().stream("requests " + name);
    requests = new TcpFlow(network, name + " requests", client, server, parameters, 0);
    responses = new TcpFlow(network, name + " responses", server, client, parameters, 0);
    requests.onComplete(() -> responses.write(plan.responseBytes()));
    responses.onComplete(this::answered);
  }

  /** Connects at a time, and sends the first request an interval later. */
  public void start(long atNanos) {
    requests.start(atNanos);
    responses.start(atNanos);
    dueNanos = atNanos;
    armNext();
  }

  /** Sends no more from that time on; an answer in transit still counts. */
  public void stop(long atNanos) {
    scheduler.arm(stopping, atNanos);
  }

  /** How long the answers took. */
  public LatencyRecord latencies() {
    return latencies;
  }

  /** Towards the server. */
  public TcpFlow requests() {
    return requests;
  }

  /** Towards the client. */
  public TcpFlow responses() {
    return responses;
  }

  private void armNext() {
    double mean = plan.intervalNanos();
    dueNanos +=
        plan.exponential()
            ? Math.round(-StrictMath.log(1 - random.nextDouble()) * mean)
            : plan.intervalNanos();
    scheduler.arm(nextRequest, Math.max(scheduler.now(), dueNanos));
  }

  private void answered() {
    latencies.add(scheduler.now() - requestedNanos);
    if (!stopped) {
      armNext();
    }
  }

  private final class NextRequest extends Event {
    @Override
    protected void fire() {
      requestedNanos = scheduler.now();
      // A request that waited for its turn does not make the following ones come in a burst.
      dueNanos = requestedNanos;
      requests.write(plan.requestBytes());
    }
  }

  private final class Stopping extends Event {
    @Override
    protected void fire() {
      stopped = true;
      scheduler.disarm(nextRequest);
    }
  }
}
