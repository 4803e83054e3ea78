// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.web;

import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.eclipse.jetty.security.AbstractLoginService;
import org.eclipse.jetty.util.security.Credential;
import org.sluice.standalone.web.UsersFile.User;

/**
 * Logs the users of a file in. A password's hash is computed once for each password that is right:
 * HTTP Basic sends it with every request. Of wrong ones one is computed at a time, so that whoever
 * guesses takes one processor at most.
 */
final class Login extends AbstractLoginService {
  private static final String ALGORITHM = "HmacSHA256";
  private static final long WAIT_SECONDS = 10;

  /** Who is no user takes as long as a wrong password. */
  private static final PasswordHash NOBODY = PasswordHash.ofNobody();

  private final Semaphore computing = new Semaphore(1, true);
  private final SecretKeySpec key;
  private final Map<String, Known> known = new ConcurrentHashMap<>();
  private volatile Map<String, User> users = Map.of();

  /** A password that was right, under a key of this process. */
  private record Known(User user, byte[] digest) {}

  Login() {
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    key = new SecretKeySpec(random, ALGORITHM);
    setName("karaf"); // The realm that REST and the page name.
  }

  /** Who may log in from now on. */
  void setUsers(Map<String, User> now) {
    users = Map.copyOf(now);
    known.keySet().retainAll(now.keySet());
  }

  @Override
  protected UserPrincipal loadUserInfo(String name) {
    return new UserPrincipal(name, new Password(name, users.get(name)));
  }

  @Override
  protected String[] loadRoleInfo(UserPrincipal user) {
    User now = users.get(user.getName());
    return now == null ? new String[0] : now.roles().toArray(new String[0]);
  }

  /** What a request's password is compared with. */
  private final class Password extends Credential {
    private static final long serialVersionUID = 1;

    private final String name;
    private final transient User user;

    Password(String name, User user) {
      this.name = name;
      this.user = user;
    }

    @Override
    public boolean check(Object credentials) {
      char[] password = credentials.toString().toCharArray();
      Known before = known.get(name);
      byte[] digest = digest(password);
      if (before != null
          && before.user.equals(user)
          && MessageDigest.isEqual(before.digest, digest)) {
        return true;
      }
      boolean right = computed(password);
      if (right) {
        known.put(name, new Known(user, digest));
      }
      return right;
    }

    private boolean computed(char[] password) {
      try {
        if (!computing.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
          return false;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
      try {
        boolean matches = (user == null ? NOBODY : user.password()).matches(password);
        return matches && user != null;
      } finally {
        computing.release();
      }
    }
  }

  private byte[] digest(char[] password) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(StandardCharsets.UTF_8.encode(CharBuffer.wrap(password)));
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }
}
