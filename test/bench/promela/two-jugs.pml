/*
 * The twin of model/checker/examples/TwoJugs.ts for Spin: jugs of 3 and 5 gallons, and the claim that 4 is impossible.
 *
 * WISH 0 claims nothing, so that all states are explored.
 */

#ifndef WISH
#define WISH 4
#endif

#define SMALL 3
#define BIG 5

byte small;
byte big;

hidden byte poured;

/* NotFourInv */
inline check() {
  assert(WISH == 0 || big != WISH)
}

inline least(a, b) {
  poured = (a < b -> a : b)
}

active proctype Jugs() {
  do
  :: d_step { small = SMALL; check() } /* FillSmall */
  :: d_step { big = BIG; check() } /* FillBig */
  :: d_step { small = 0; check() } /* EmptySmall */
  :: d_step { big = 0; check() } /* EmptyBig */
  :: d_step { /* PourIntoBig */
       least(small, BIG - big);
       small = small - poured;
       big = big + poured;
       check()
     }
  :: d_step { /* PourIntoSmall */
       least(big, SMALL - small);
       small = small + poured;
       big = big - poured;
       check()
     }
  od
}
