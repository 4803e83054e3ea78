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
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.sluice.api.HostId;

/**
 * Identifies the calling host by the peer's certificate: it must carry exactly one subject
 * alternative name of the form {@code URI:sluice-host:<host>}. Calls without are refused. Any
 * number of {@code URI:sluice-switch:<datapath id>} names switches about whose ports it may report.
 */
final class PeerIdentity implements ServerInterceptor {
  static final Context.Key<HostId> HOST = Context.key("sluice-host");
  static final Context.Key<Set<String>> SWITCHES = Context.key("sluice-switch");
  static final Context.Key<X509Certificate> CERTIFICATE = Context.key("sluice-certificate");
  static final String SWITCH_PREFIX = "sluice-switch:";
  private static final String PREFIX = "sluice-host:";
  private static final Integer URI_NAME = 6;

  private final HostChannels hosts;

  PeerIdentity(HostChannels hosts) {
    this.hosts = hosts;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    try {
      X509Certificate certificate =
          certificateOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
      List<String> names = uriNames(certificate);
      HostId host = hostOf(names);
      Optional<String> objection = hosts.access().objection(host, certificate);
      if (objection.isPresent()) {
        throw BadMessageException.fatal(Status.PERMISSION_DENIED.withDescription(objection.get()));
      }
      Context identity =
          Context.current()
              .withValues(
                  HOST,
                  host,
                  SWITCHES,
                  Set.copyOf(after(SWITCH_PREFIX, names)),
                  CERTIFICATE,
                  certificate);
      return Contexts.interceptCall(identity, call, headers, next);
    } catch (BadMessageException e) {
      hosts.refused(
          String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)),
          e.getMessage());
      call.close(Status.PERMISSION_DENIED.withDescription(e.getMessage()), new Metadata());
      return new ServerCall.Listener<Q>() {};
    }
  }

  private static X509Certificate certificateOf(SSLSession session) throws BadMessageException {
    try {
      Certificate own = session == null ? null : session.getPeerCertificates()[0];
      if (own instanceof X509Certificate) {
        return (X509Certificate) own;
      }
    } catch (SSLPeerUnverifiedException e) {
      throw unreadable(e);
    }
    throw denied("no certificate was presented");
  }

  private static List<String> uriNames(X509Certificate certificate) throws BadMessageException {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      List<String> uris = new ArrayList<>();
      for (List<?> name : names == null ? List.<List<?>>of() : names) {
        if (name.get(0).equals(URI_NAME)) {
          uris.add(name.get(1).toString());
        }
      }
      return uris;
    } catch (CertificateParsingException e) {
      throw unreadable(e);
    }
  }

  private static List<String> after(String prefix, List<String> names) {
    List<String> rests = new ArrayList<>();
    for (String name : names) {
      if (name.startsWith(prefix)) {
        rests.add(name.substring(prefix.length()));
      }
    }
    return rests;
  }

  private static HostId hostOf(List<String> names) throws BadMessageException {
    List<String> hosts = after(PREFIX, names);
    if (hosts.size() != 1) {
      throw denied("the certificate names " + hosts.size() + " hosts instead of one");
    }
    try {
      return HostId.of(hosts.get(0));
    } catch (IllegalArgumentException e) {
      throw denied("the certificate names a host wrongly: " + e.getMessage());
    }
  }

  private static BadMessageException unreadable(Exception cause) {
    return denied("the certificate cannot be read: " + cause.getMessage());
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
