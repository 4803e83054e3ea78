// SPDX-License-Identifier: Apache-2.0
/**
 * Which counters of a switch are read when, and what readings say: for whoever can send an OpenFlow
 * switch a request, by whatever means.
 */
package org.sluice.polling;
