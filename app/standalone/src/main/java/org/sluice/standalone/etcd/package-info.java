// SPDX-License-Identifier: Apache-2.0
/** What several nodes share through etcd: maps, who leads, and who belongs to them. */
package org.sluice.standalone.etcd;
