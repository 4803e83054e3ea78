// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoOneOf;
import com.google.auto.value.AutoValue;
import java.util.List;
import java.util.OptionalLong;
import org.sluice.api.deadline.FlowStatus;

/** The answer to a {@link FlowRequest}. */
@AutoValue
public abstract class FlowAnswer {

  public static FlowAnswer registered(long request, long id, boolean promised) {
    return of(request, AutoOneOf_FlowAnswer_Body.registered(Registered.of(id, promised)));
  }

  /**
   * Not registered, for the deadline cannot be met.
   *
   * @param earliestNanos from now; empty: none can
   */
  public static FlowAnswer cannotBeMet(long request, OptionalLong earliestNanos) {
    return of(request, AutoOneOf_FlowAnswer_Body.cannotBeMet(earliestNanos));
  }

  /**
   * Refused.
   *
   * @param field which part of the request is wrong; empty: none in particular
   * @param detail what is wrong with it, and the remedy
   */
  public static FlowAnswer refused(long request, String field, String detail) {
    return of(request, AutoOneOf_FlowAnswer_Body.refused(Refused.of(field, detail)));
  }

  public static FlowAnswer list(long request, List<FlowStatus> flows) {
    return of(request, AutoOneOf_FlowAnswer_Body.flows(List.copyOf(flows)));
  }

  /** Whether there was such a registration of the host to remove. */
  public static FlowAnswer removed(long request, boolean removed) {
    return of(request, AutoOneOf_FlowAnswer_Body.removed(removed));
  }

  private static FlowAnswer of(long request, Body body) {
    return new AutoValue_FlowAnswer(request, body);
  }

  /** The request that it answers. */
  public abstract long request();

  public abstract Body body();

  /** What is answered: exactly one of these. */
  @AutoOneOf(Body.Kind.class)
  public abstract static class Body {
    /** Which. */
    public enum Kind {
      REGISTERED,
      CANNOT_BE_MET,
      REFUSED,
      FLOWS,
      REMOVED
    }

    public abstract Kind kind();

    public abstract Registered registered();

    /** The earliest deadline that could be, ns from now; empty: none. */
    public abstract OptionalLong cannotBeMet();

    public abstract Refused refused();

    public abstract List<FlowStatus> flows();

    public abstract boolean removed();
  }

  /** A registration that was made. */
  @AutoValue
  public abstract static class Registered {
    static Registered of(long id, boolean promised) {
      return new AutoValue_FlowAnswer_Registered(id, promised);
    }

    public abstract long id();

    public abstract boolean promised();
  }

  /** Why a request was refused. */
  @AutoValue
  public abstract static class Refused {
    static Refused of(String field, String detail) {
      return new AutoValue_FlowAnswer_Refused(field, detail);
    }

    public abstract String field();

    public abstract String detail();
  }
}
