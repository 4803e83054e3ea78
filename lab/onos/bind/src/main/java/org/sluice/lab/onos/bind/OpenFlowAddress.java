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
 * Lets ONOS's OpenFlow controller listen on one address only.
 *
 * <p>ONOS has a setting for the ports but none for the address: it calls {@code bind(port)}. As its
 * class is loaded, that call becomes {@code bind(address, port)}, with the address that the system
 * property {@value #PROPERTY} names; without the property nothing is changed.
 */
final class OpenFlowAddress implements WeavingHook {

  static final String PROPERTY = "org.sluice.lab.onos.bind";
  private static final String CONTROLLER = "org.onosproject.openflow.controller.impl.Controller";
  private static final String BOOTSTRAP = "io/netty/bootstrap/ServerBootstrap";
  private static final String BIND_PORT = "(I)Lio/netty/channel/ChannelFuture;";
  private static final String BIND_ADDRESS_AND_PORT =
      "(Ljava/lang/String;I)Lio/netty/channel/ChannelFuture;";

  private final String address;

  OpenFlowAddress(String address) {
    this.address = address;
  }

  @Override
  public void weave(WovenClass woven) {
    if (CONTROLLER.equals(woven.getClassName())) {
      woven.setBytes(withAddress(woven.getBytes()));
    }
  }

  /** Returns the class with every {@code bind(port)} changed. */
  byte[] withAddress(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
    reader.accept(new BindCalls(writer), 0);
    return writer.toByteArray();
  }

  private final class BindCalls extends ClassVisitor {

    BindCalls(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String called, String calledDescriptor, boolean isInterface) {
          boolean bindsPort =
              owner.equals(BOOTSTRAP)
                  && called.equals("bind")
                  && calledDescriptor.equals(BIND_PORT);
          if (bindsPort) {
            // The stack holds the port; the address belongs below it.
            visitLdcInsn(address);
            visitInsn(Opcodes.SWAP);
          }
          super.visitMethodInsn(
              opcode,
              owner,
              called,
              bindsPort ? BIND_ADDRESS_AND_PORT : calledDescriptor,
              isInterface);
        }
      };
    }
  }
}
