// SPDX-License-Identifier: Apache-2.0
/** Which egress ports traffic crosses, as the engine looks it up: the question and the answer. */
package org.sluice.engine.path;
