// SPDX-License-Identifier: Apache-2.0
package org.sluice.page;

import java.io.IOException;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * Keeps the page out of other pages' frames, where clicks would be theirs; and sends whoever leaves
 * out the last slash there by a path alone: behind a proxy with TLS scheme and host are others.
 */
public final class PageFilter implements Filter {
  @Override
  public void init(FilterConfig config) {}

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletRequest asked = (HttpServletRequest) request;
    HttpServletResponse answer = (HttpServletResponse) response;
    answer.setHeader("X-Frame-Options", "DENY");
    answer.setHeader("Content-Security-Policy", "frame-ancestors 'none'");
    if (asked.getRequestURI().equals(asked.getContextPath())) {
      answer.setStatus(HttpServletResponse.SC_FOUND);
      answer.setHeader("Location", asked.getContextPath() + "/");
    } else {
      chain.doFilter(request, response);
    }
  }

  @Override
  public void destroy() {}
}
