// SPDX-License-Identifier: Apache-2.0
/** The application's lifecycle and its parameters. */
package org.sluice.core.setting;
