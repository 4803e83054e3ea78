// SPDX-License-Identifier: Apache-2.0
/** Why endpoints get no more than they do: what is known of them, put together and worded. */
package org.sluice.core.why;
