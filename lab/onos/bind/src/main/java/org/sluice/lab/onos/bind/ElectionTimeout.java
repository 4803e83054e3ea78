// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.bind;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.osgi.framework.hooks.weaving.WeavingHook;
import org.osgi.framework.hooks.weaving.WovenClass;

/**
 * Lets a node that is its own cluster become leader at once.
 *
 * <p>A Raft follower waits for an election timeout and a random part of another before it is a
 * candidate: 2.5 to 5 s in Atomix, where it is a constant, and twice at the start of ONOS, once for
 * each partition group. The lab's cluster has one node: there is no leader to wait for.
 */
final class ElectionTimeout implements WeavingHook {

  private static final String SERVER =
      "io.atomix.protocols.raft.partition.impl.RaftPartitionServer";
  private static final Long STOCK_MILLIS = 2500L;

  /** More than the interval of heartbeats, 250 ms, as Atomix demands. */
  private static final Long MILLIS = 300L;

  @Override
  public void weave(WovenClass woven) {
    if (SERVER.equals(woven.getClassName())) {
      woven.setBytes(shortened(woven.getBytes()));
    }
  }

  /** Returns the class with the shorter timeout. */
  static byte[] shortened(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, 0);
    reader.accept(new Constants(writer), 0);
    return writer.toByteArray();
  }

  private static final class Constants extends ClassVisitor {

    Constants(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitLdcInsn(Object value) {
          super.visitLdcInsn(STOCK_MILLIS.equals(value) ? MILLIS : value);
        }
      };
    }
  }
}
