// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;
import org.sluice.api.IpAddress;
import org.sluice.engine.collections.Slots;

/** IP addresses by row number, each kept as long as something refers to it. */
public final class AddressTable {
  public static final int NONE = -1;

  private static final int FIRST = 256;

  /** Row + 1 of the addresses, by hash, with linear probing; 0 where free. */
  private int[] index = new int[4 * FIRST];

  private final Slots slots = new Slots();
  private int[] references = new int[FIRST];

  public IpAddress[] ip = new IpAddress[FIRST];

  /** The endpoint that holds the address, or {@link #NONE}. */
  public int[] holder = new int[FIRST];

  /** How many active pairs have it as their destination. */
  public int[] activeSenders = new int[FIRST];

  public int[] wantingSenders = new int[FIRST];

  /** The address's row, or -1. */
  public int find(IpAddress address) {
    return index[cell(address)] - 1;
  }

  /** The address's row, which stays until released as often as retained. */
  public int retain(IpAddress address) {
    int row = find(address);
    if (row < 0) {
      row = slots.take();
      if (row == ip.length) {
        grow();
      }
      ip[row] = address;
      holder[row] = NONE;
      activeSenders[row] = 0;
      wantingSenders[row] = 0;
      references[row] = 0;
      index[cell(address)] = row + 1;
    }
    references[row]++;
    return row;
  }

  public void release(int row) {
    if (--references[row] == 0) {
      removeFromIndex(ip[row]);
      ip[row] = null;
      slots.giveBack(row);
    }
  }

  public int size() {
    return slots.used();
  }

  private int cell(IpAddress address) {
    int cell = home(address);
    while (index[cell] != 0 && !ip[index[cell] - 1].equals(address)) {
      cell = cell + 1 & index.length - 1;
    }
    return cell;
  }

  private int home(IpAddress address) {
    return address.keyedHash() & index.length - 1;
  }

  private void removeFromIndex(IpAddress address) {
    int hole = cell(address);
    int mask = index.length - 1;
    for (int cell = hole + 1 & mask; index[cell] != 0; cell = cell + 1 & mask) {
      if ((cell - home(ip[index[cell] - 1]) & mask) >= (cell - hole & mask)) {
        index[hole] = index[cell];
        hole = cell;
      }
    }
    index[hole] = 0;
  }

  private void grow() {
    int size = 2 * ip.length;
    ip = Arrays.copyOf(ip, size);
    holder = Arrays.copyOf(holder, size);
    activeSenders = Arrays.copyOf(activeSenders, size);
    wantingSenders = Arrays.copyOf(wantingSenders, size);
    references = Arrays.copyOf(references, size);
    index = new int[4 * size];
    for (int row = 0; row < size / 2; row++) {
      index[cell(ip[row])] = row + 1;
    }
  }
}
