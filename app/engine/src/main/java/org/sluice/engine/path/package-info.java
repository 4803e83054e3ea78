/** Which egress ports traffic crosses, as the engine asks for it. */
package org.sluice.engine.path;
