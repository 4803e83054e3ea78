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

class ElectionTimeoutTest {

  @Test
  void theElectionTimeoutAloneIsShorter() {
    assertEquals(List.of(300L, 250L), constantsOf(ElectionTimeout.shortened(classWithTimeouts())));
  }

  private static byte[] classWithTimeouts() {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "Server", null, "java/lang/Object", null);
    MethodVisitor method = writer.visitMethod(0, "build", "()V", null, null);
    method.visitCode();
    for (Long constant : List.of(2500L, 250L)) {
      method.visitLdcInsn(constant);
      method.visitInsn(Opcodes.POP2);
    }
    method.visitInsn(Opcodes.RETURN);
    method.visitMaxs(0, 0);
    method.visitEnd();
    writer.visitEnd();
    return writer.toByteArray();
  }

  private static List<Object> constantsOf(byte[] bytes) {
    List<Object> seen = new ArrayList<>();
    MethodVisitor method =
        new MethodVisitor(Opcodes.ASM9) {
          @Override
          public void visitLdcInsn(Object value) {
            seen.add(value);
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
