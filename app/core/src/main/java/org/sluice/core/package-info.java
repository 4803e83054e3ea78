// SPDX-License-Identifier: Apache-2.0
/**
 * The controller without a controller platform. {@link org.sluice.core.Controller} puts its rooms
 * together; an adapter supplies the surroundings as a {@link org.sluice.core.spi.Platform}. No
 * class here uses a controller's type.
 */
package org.sluice.core;
