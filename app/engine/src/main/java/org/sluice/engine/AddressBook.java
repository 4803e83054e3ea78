// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.sluice.api.IpAddress;

/** IP addresses by row number, each kept as long as somebody refers to it. */
final class AddressBook {
  static final int NOBODY = -1;

  private final Map<IpAddress, Integer> rows = new HashMap<>();
  private final Slots slots = new Slots();
  private int[] references = new int[256];

  IpAddress[] ip = new IpAddress[256];

  /** The endpoint that holds the address, or {@link #NOBODY}. */
  int[] holder = new int[256];

  /** How many active pairs have it as their destination. */
  int[] activeSenders = new int[256];

  int find(IpAddress address) {
    Integer row = rows.get(address);
    return row == null ? -1 : row;
  }

  /** The address's row, which stays until released as often as retained. */
  int retain(IpAddress address) {
    int row = find(address);
    if (row < 0) {
      row = slots.take();
      if (row == ip.length) {
        ip = Arrays.copyOf(ip, 2 * row);
        holder = Arrays.copyOf(holder, 2 * row);
        activeSenders = Arrays.copyOf(activeSenders, 2 * row);
        references = Arrays.copyOf(references, 2 * row);
      }
      ip[row] = address;
      holder[row] = NOBODY;
      activeSenders[row] = 0;
      references[row] = 0;
      rows.put(address, row);
    }
    references[row]++;
    return row;
  }

  void release(int row) {
    if (--references[row] == 0) {
      rows.remove(ip[row]);
      ip[row] = null;
      slots.giveBack(row);
    }
  }

  int size() {
    return slots.used();
  }
}
