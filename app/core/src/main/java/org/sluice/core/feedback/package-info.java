// SPDX-License-Identifier: Apache-2.0
/** What hosts have to say to each other, passed on where it is not to go through the network. */
package org.sluice.core.feedback;
