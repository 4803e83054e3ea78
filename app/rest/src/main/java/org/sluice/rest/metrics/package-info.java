// SPDX-License-Identifier: Apache-2.0
/**
 * What the services know, in the form that Prometheus collects: base units, and no series for an
 * endpoint, of which there are thousands; their agents have those.
 */
package org.sluice.rest.metrics;
