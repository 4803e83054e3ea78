// SPDX-License-Identifier: Apache-2.0
/** When the REST and page bundles may start. */
package org.sluice.onos.web;
