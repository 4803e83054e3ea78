// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.sluice.api.HostId;

/**
 * Tells from the peer's certificate which host calls: it must carry exactly one subject alternative
 * name of the form {@code URI:sluice-host:<host>}. Calls without are refused.
 */
final class PeerIdentity implements ServerInterceptor {
  static final Context.Key<HostId> HOST = Context.key("sluice-host");
  private static final String PREFIX = "sluice-host:";
  private static final Integer URI_NAME = 6;

  private final HostRegistry registry;

  PeerIdentity(HostRegistry registry) {
    this.registry = registry;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    try {
      HostId host = hostOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
      return Contexts.interceptCall(Context.current().withValue(HOST, host), call, headers, next);
    } catch (BadMessageException e) {
      registry.refused(
          String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)),
          e.getMessage());
      call.close(Status.PERMISSION_DENIED.withDescription(e.getMessage()), new Metadata());
      return new ServerCall.Listener<Q>() {};
    }
  }

  private static HostId hostOf(SSLSession session) throws BadMessageException {
    try {
      Certificate own = session == null ? null : session.getPeerCertificates()[0];
      if (own instanceof X509Certificate) {
        return hostOf((X509Certificate) own);
      }
    } catch (SSLPeerUnverifiedException | CertificateParsingException e) {
      throw denied("the certificate cannot be read: " + e.getMessage());
    }
    throw denied("no certificate was presented");
  }

  private static HostId hostOf(X509Certificate certificate)
      throws CertificateParsingException, BadMessageException {
    Collection<List<?>> names = certificate.getSubjectAlternativeNames();
    List<String> hosts = new ArrayList<>();
    for (List<?> name : names == null ? List.<List<?>>of() : names) {
      if (name.get(0).equals(URI_NAME) && name.get(1).toString().startsWith(PREFIX)) {
        hosts.add(name.get(1).toString().substring(PREFIX.length()));
      }
    }
    if (hosts.size() != 1) {
      throw denied("the certificate names " + hosts.size() + " hosts instead of one");
    }
    try {
      return HostId.of(hosts.get(0));
    } catch (IllegalArgumentException e) {
      throw denied("the certificate names a host wrongly: " + e.getMessage());
    }
  }

  private static BadMessageException denied(String reason) {
    return BadMessageException.fatal(
        Status.PERMISSION_DENIED.withDescription(
            reason
                + "; an agent's certificate needs one subject alternative name URI:"
                + PREFIX
                + "<host>"));
  }
}
