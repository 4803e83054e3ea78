// SPDX-License-Identifier: Apache-2.0
/**
 * The platform that sluiced gives to the core: a fabric that agents alone report, without a
 * connection to any switch.
 */
package org.sluice.standalone.platform;
