/*
 * The twin of model/checker/examples/TwoPhase.ts for Spin: two-phase commit among MANAGERS resource managers.
 *
 *     resource manager   working ──Prepare──▶ prepared ──ObeyCommit──▶ committed
 *                           └──AbortAlone──▶ aborted ◀──ObeyAbort── any
 *
 * The sets of managers are words of bits. Steps that change nothing are steps here as there, so that transitions are
 * counted alike.
 */

#ifndef MANAGERS
#define MANAGERS 3
#endif
/* 0 turns the rule off: the manager may then commit before everybody agreed. */
#ifndef UNANIMITY
#define UNANIMITY 1
#endif

#define WORKING 0
#define PREPARED 1
#define COMMITTED 2
#define ABORTED 3

#define NONE 0
#define COMMIT 1
#define ABORT 2

#define EVERYONE ((1 << MANAGERS) - 1)
#define IS_IN(r, set) ((set & (1 << r)) != 0)

byte resource[MANAGERS];
byte decision;
byte heard;
byte announced;

hidden byte i;
hidden byte committed;
hidden byte aborted;

/* Nobody commits what another has aborted. (AgreementInv) */
inline check() {
  committed = 0;
  aborted = 0;
  for (i : 0 .. MANAGERS - 1) {
    if
    :: resource[i] == COMMITTED -> committed++
    :: resource[i] == ABORTED -> aborted++
    :: else
    fi
  }
  assert(committed == 0 || aborted == 0)
}

#define STEPS_OF(r) \
  :: d_step { /* Prepare */ \
       resource[r] == WORKING -> \
       resource[r] = PREPARED; \
       announced = announced | (1 << r); \
       check() \
     } \
  :: d_step { /* AbortAlone */ \
       resource[r] == WORKING -> \
       resource[r] = ABORTED; \
       check() \
     } \
  :: d_step { /* HearPrepared */ \
       decision == NONE && IS_IN(r, announced) -> \
       heard = heard | (1 << r); \
       check() \
     } \
  :: d_step { /* ObeyCommit */ \
       decision == COMMIT -> \
       resource[r] = COMMITTED; \
       check() \
     } \
  :: d_step { /* ObeyAbort */ \
       decision == ABORT -> \
       resource[r] = ABORTED; \
       check() \
     }

active proctype Transaction() {
end:
  do
  STEPS_OF(0)
#if MANAGERS > 1
  STEPS_OF(1)
#endif
#if MANAGERS > 2
  STEPS_OF(2)
#endif
#if MANAGERS > 3
  STEPS_OF(3)
#endif
#if MANAGERS > 4
  STEPS_OF(4)
#endif
#if MANAGERS > 5
#error "The twin has at most five resource managers."
#endif
  :: d_step { /* Commit */
       decision == NONE && (!UNANIMITY || heard == EVERYONE) ->
       decision = COMMIT;
       check()
     }
  :: d_step { /* Abort */
       decision == NONE ->
       decision = ABORT;
       check()
     }
  od
}
