// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that serves tenants' users too. It returns and changes nothing but what is theirs:
 * {@link AccessFilter} refuses them every method without this.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface ForTenants {}
