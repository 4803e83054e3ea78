// SPDX-License-Identifier: Apache-2.0
/** Clocks and threads, injected so that tests run in virtual time. */
package org.sluice.core.runtime;
