/** Clocks that a test moves. */
import { Clock, Effect } from "effect"

/** A clock that shows what it is told to. Nobody who sleeps on it ever wakes. */
export const clockOf = (now: () => number): Clock.Clock => ({
  currentTimeMillisUnsafe: now,
  currentTimeMillis: Effect.sync(now),
  currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
  monotonicTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
  sleep: () => Effect.never
})

/** Runs an effect under such a clock. */
export const clockAt = (now: () => number) => Effect.provideService(Clock.Clock, clockOf(now))
