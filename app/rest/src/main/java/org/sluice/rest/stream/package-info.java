// SPDX-License-Identifier: Apache-2.0
/**
 * The stream of server-sent events. One thread evaluates the services some times a second and makes
 * a {@link org.sluice.rest.stream.Snapshot} in which everything carries the revision that it
 * changed with. A reader is a cursor into it: it is sent what changed since, whenever it can take
 * that.
 */
package org.sluice.rest.stream;
