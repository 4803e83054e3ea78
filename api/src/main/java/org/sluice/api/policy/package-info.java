// SPDX-License-Identifier: Apache-2.0
/**
 * Congestion control policies (OpenTCP): when hosts' TCP gets which parameters, what that would do
 * now, and what was in force before. Values and a service; what REST and shell use.
 */
package org.sluice.api.policy;
