// SPDX-License-Identifier: Apache-2.0
/** The controller as a program of its own, without an SDN controller: {@code sluiced}. */
package org.sluice.standalone;
