// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * The greatest of the rates of the last rounds: the three best candidates suffice (Nichols's
 * windowed filter), each later and less than the one before.
 */
final class RateFilter {
  private final int lengthRounds;
  private final double[] rates = new double[3];
  private final long[] rounds = new long[3];

  RateFilter(int lengthRounds) {
    this.lengthRounds = lengthRounds;
  }

  void reset() {
    set(0, 0, 0);
  }

  double greatest() {
    return rates[0];
  }

  void add(long round, double rate) {
    if (rate >= rates[0] || round - rounds[2] > lengthRounds) {
      set(0, round, rate);
      return;
    }
    if (rate >= rates[1]) {
      set(1, round, rate);
    } else if (rate >= rates[2]) {
      set(2, round, rate);
    }
    age(round, rate);
  }

  private void age(long round, double rate) {
    if (round - rounds[0] > lengthRounds) {
      shift();
      set(2, round, rate);
      if (round - rounds[0] > lengthRounds) {
        shift();
        set(2, round, rate);
      }
    } else if (rounds[1] == rounds[0] && round - rounds[0] > lengthRounds / 4) {
      set(1, round, rate);
    } else if (rounds[2] == rounds[1] && round - rounds[1] > lengthRounds / 2) {
      set(2, round, rate);
    }
  }

  private void shift() {
    rates[0] = rates[1];
    rounds[0] = rounds[1];
    rates[1] = rates[2];
    rounds[1] = rounds[2];
  }

  private void set(int from, long round, double rate) {
    for (int i = from; i < rates.length; i++) {
      rates[i] = rate;
      rounds[i] = round;
    }
  }
}
