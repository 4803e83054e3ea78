// SPDX-License-Identifier: Apache-2.0
/** ONOS as the core's platform: each class implements one interface of its spi with ONOS. */
package org.sluice.onos.platform;
