// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.Optional;

/** A refused request: which field, which value, and what would be accepted. */
public final class SluiceException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why a request was refused. */
  public enum Kind {
    /** The request itself is wrong: it can never be granted as it stands. */
    INVALID,
    /** The request is longer than any that is taken. */
    TOO_LARGE,
    /** What the request names does not exist. */
    NOT_FOUND,
    /** The request is well formed, but contradicts what has been promised or already exists. */
    CONFLICT,
    /** The request can be granted, but only by somebody who says that its consequence is meant. */
    UNCONFIRMED,
    /** The thing is not any longer what the request takes it to be. */
    STALE,
    /** The request cannot be carried out now; the same request may succeed later. */
    UNAVAILABLE
  }

  private final Kind kind;
  private final String field;
  private final String value;
  private final String remedy;

  /**
   * Creates a refusal.
   *
   * @param kind why
   * @param field the field at fault, as a path ("members[2].ipPrefix"); empty when no field is
   * @param value the value as it was given; may be empty
   * @param message what is wrong, in a sentence
   * @param remedy what to do about it, in a sentence
   */
  public SluiceException(Kind kind, String field, String value, String message, String remedy) {
    super(message);
    this.kind = kind;
    this.field = field;
    this.value = value;
    this.remedy = remedy;
  }

  /** Refuses a value that can never be right. */
  public static SluiceException invalid(String field, Object value, String message, String remedy) {
    return new SluiceException(Kind.INVALID, field, String.valueOf(value), message, remedy);
  }

  /** Says that something named does not exist. */
  public static SluiceException notFound(String field, Object value, String message) {
    return new SluiceException(
        Kind.NOT_FOUND, field, String.valueOf(value), message, "List what exists and use its name");
  }

  /** Refuses what contradicts a promise or something that exists. */
  public static SluiceException conflict(
      String field, Object value, String message, String remedy) {
    return new SluiceException(Kind.CONFLICT, field, String.valueOf(value), message, remedy);
  }

  public Kind kind() {
    return kind;
  }

  /** The field at fault; empty when no single field is. */
  public Optional<String> field() {
    return field.isEmpty() ? Optional.empty() : Optional.of(field);
  }

  public String value() {
    return value;
  }

  public String remedy() {
    return remedy;
  }
}
