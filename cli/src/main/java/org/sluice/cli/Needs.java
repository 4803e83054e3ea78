// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a user must be allowed to, to run a command; without this, to change everything. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface Needs {
  Permission value();
}
