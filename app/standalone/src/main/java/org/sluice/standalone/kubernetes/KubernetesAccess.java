// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.kubernetes;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How the API of a Kubernetes cluster is reached.
 *
 * @param token a file with the token of a service account
 * @param trust a PEM file with the authority of the server's certificate
 */
public record KubernetesAccess(URI server, Optional<Path> token, Optional<Path> trust) {}
