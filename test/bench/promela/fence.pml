/*
 * The twin of model/checker/examples/Fence.ts for Spin: the same variables, the same steps, the same two properties.
 *
 *     idle ──Load──▶ loaded ──Write──▶ loaded         Crash: loaded ▶ idle
 *                      └────Refuse───▶ stopped        Redeliver: stopped ▶ idle
 *
 * So that Spin's counts are those of the checker:
 *
 * - Every step is one option of the loop and one d_step, so nothing is stored between a guard and its effects.
 * - Spin leaves a variable that nothing reads out of its states. Here the two properties read all that no guard reads.
 * - What only the properties need while they are asked is hidden, for it is no part of a state.
 * - A log is compared with its tail of zeros, which writers never touch, and its length; so a shorter log, and one that
 *   ends with a write from outside, whose id is 0, differ.
 *
 * The bounds are macros: spin -a -DDELIVERIES=4 fence.pml
 */

#ifndef DELIVERIES
#define DELIVERIES 3
#endif
#ifndef LONGEST_LOG
#define LONGEST_LOG 6
#endif
#ifndef OUTSIDE_WRITES
#define OUTSIDE_WRITES 2
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef REDELIVERIES
#define REDELIVERIES 2
#endif
/* 0 turns the rule off: a write is then accepted at any count. */
#ifndef FENCE
#define FENCE 1
#endif

#define IDLE 0
#define LOADED 1
#define STOPPED 2

/* The writer id of those who write without a fence; deliveries are numbered from 1. */
#define OUTSIDE 0

byte log[LONGEST_LOG];
byte length;
byte fenced;
byte outsideLeft = OUTSIDE_WRITES;
byte crashesLeft = CRASHES;
byte redeliveriesLeft = REDELIVERIES;
byte at[DELIVERIES];
byte expected[DELIVERIES];
byte seen[DELIVERIES];

hidden byte i;
hidden byte count;

/* The count is the number of fenced writes in the log. (CountInv) */
inline check_count() {
  count = 0;
  for (i : 1 .. length) {
    if
    :: log[i - 1] != OUTSIDE -> count++
    :: else
    fi
  }
  assert(fenced == count)
}

/* A fenced write is made by one who has read every fenced write before it. (OneChainProp) */
inline check_chain(d) {
  for (i : seen[d - 1] + 1 .. length) {
    assert(log[i - 1] == OUTSIDE)
  }
}

inline settle(d, where) {
  at[d - 1] = where;
  expected[d - 1] = 0;
  seen[d - 1] = 0
}

#define STEPS_OF(d) \
  :: d_step { /* Load */ \
       at[d - 1] == IDLE -> \
       at[d - 1] = LOADED; \
       expected[d - 1] = fenced; \
       seen[d - 1] = length; \
       check_count() \
     } \
  :: d_step { /* Write */ \
       at[d - 1] == LOADED && (!FENCE || expected[d - 1] == fenced) && length < LONGEST_LOG -> \
       check_chain(d); \
       log[length] = d; \
       length++; \
       fenced++; \
       expected[d - 1] = expected[d - 1] + 1; \
       seen[d - 1] = length; \
       check_count() \
     } \
  :: d_step { /* Refuse */ \
       at[d - 1] == LOADED && FENCE && expected[d - 1] != fenced -> \
       settle(d, STOPPED); \
       check_count() \
     } \
  :: d_step { /* Crash */ \
       at[d - 1] == LOADED && crashesLeft > 0 -> \
       crashesLeft--; \
       settle(d, IDLE); \
       check_count() \
     } \
  :: d_step { /* Redeliver */ \
       at[d - 1] == STOPPED && redeliveriesLeft > 0 -> \
       redeliveriesLeft--; \
       settle(d, IDLE); \
       check_count() \
     }

active proctype Fence() {
  /* Everything may end: a state in which nothing is enabled is no error. */
end:
  do
  STEPS_OF(1)
#if DELIVERIES > 1
  STEPS_OF(2)
#endif
#if DELIVERIES > 2
  STEPS_OF(3)
#endif
#if DELIVERIES > 3
  STEPS_OF(4)
#endif
#if DELIVERIES > 4
#error "The twin has at most four deliveries."
#endif
  :: d_step { /* AppendOutside */
       outsideLeft > 0 && length < LONGEST_LOG ->
       log[length] = OUTSIDE;
       length++;
       outsideLeft--;
       check_count()
     }
  od
}
