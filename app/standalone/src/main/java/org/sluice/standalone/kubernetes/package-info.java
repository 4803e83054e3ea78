// SPDX-License-Identifier: Apache-2.0
/**
 * Tenants by Kubernetes' objects {@code TenantBandwidth}: watched by the API of the cluster,
 * applied by the node that leads, reported in each object's status.
 */
package org.sluice.standalone.kubernetes;
