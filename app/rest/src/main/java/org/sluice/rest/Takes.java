// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The query parameters that a resource method takes; without it none. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Takes {
  /** Their names. */
  String[] value();
}
