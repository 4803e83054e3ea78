// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;

/** Behind which edge port an endpoint is. */
public interface EndpointLocator {

  Optional<PortId> locate(ReportedEndpoint endpoint);
}
