// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.bind;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

class OpenFlowAddressTest {

  private static final String BOOTSTRAP = "io/netty/bootstrap/ServerBootstrap";
  private static final String FUTURE = "Lio/netty/channel/ChannelFuture;";

  @Test
  void bindsThePortAtTheConfiguredAddress() {
    byte[] woven = new OpenFlowAddress("10.9.0.1").withAddress(classThatBinds());
    assertEquals(
        List.of("load 1", "load 2", "push 10.9.0.1", "swap", "bind(Ljava/lang/String;I)" + FUTURE),
        instructionsOf(woven));
  }

  private static byte[] classThatBinds() {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    writer.visit(Opcodes.V11, Opcodes.ACC_PUBLIC, "Binds", null, "java/lang/Object", null);
    MethodVisitor method = writer.visitMethod(0, "listen", "(L" + BOOTSTRAP + ";I)V", null, null);
    method.visitCode();
    method.visitVarInsn(Opcodes.ALOAD, 1);
    method.visitVarInsn(Opcodes.ILOAD, 2);
    method.visitMethodInsn(Opcodes.INVOKEVIRTUAL, BOOTSTRAP, "bind", "(I)" + FUTURE, false);
    method.visitInsn(Opcodes.POP);
    method.visitInsn(Opcodes.RETURN);
    method.visitMaxs(0, 0);
    method.visitEnd();
    writer.visitEnd();
    return writer.toByteArray();
  }

  private static List<String> instructionsOf(byte[] bytes) {
    List<String> seen = new ArrayList<>();
    MethodVisitor method =
        new MethodVisitor(Opcodes.ASM9) {
          @Override
          public void visitVarInsn(int opcode, int variable) {
            seen.add("load " + variable);
          }

          @Override
          public void visitLdcInsn(Object value) {
            seen.add("push " + value);
          }

          @Override
          public void visitInsn(int opcode) {
            if (opcode == Opcodes.SWAP) {
              seen.add("swap");
            }
          }

          @Override
          public void visitMethodInsn(
              int opcode, String owner, String name, String descriptor, boolean isInterface) {
            seen.add(name + descriptor);
          }
        };
    new ClassReader(bytes)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String descriptor, String sig, String[] exceptions) {
                return method;
              }
            },
            0);
    return seen;
  }
}
