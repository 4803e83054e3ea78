// SPDX-License-Identifier: Apache-2.0
/**
 * Sluice's model and service interfaces: the words of the product, without any controller's types
 * and without implementation.
 *
 * <p>Rates are in bit/s of whole frames on the wire unless a name says otherwise. Everything here
 * is immutable.
 */
package org.sluice.api;
