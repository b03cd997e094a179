/**
 * Random numbers that a seed determines, the same on every machine.
 *
 * @module
 */

/** A source of random numbers. */
export interface RandomSource {
  /** A number from 0 up to this one, exclusive. */
  readonly below: (bound: number) => number
  /** True once in so many times. */
  readonly oneIn: (times: number) => boolean
  /** One of these; there must be one. */
  readonly pick: <A>(from: ReadonlyArray<A>) => A
}

/** Spreads a number's bits, so that near seeds give unlike sequences (the finalizer of MurmurHash3). */
const mixed = (seed: number): number => {
  let x = seed | 0
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return x ^ (x >>> 16)
}

/** The source of a seed's stream with this number: each walk has its own, so that one can be repeated alone. */
export const randomSource = (seed: number, stream: number): RandomSource => {
  // sfc32, by Chris Doty-Humphrey: three words of state and a counter.
  let a = mixed(seed)
  let b = mixed(stream ^ 0x9e3779b9)
  let c = mixed(Math.floor(seed / 2 ** 32) + 0x6a09e667)
  let counter = 1
  const next = (): number => {
    const word = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + word
    return word >>> 0
  }
  for (let i = 0; i < 12; i++) next()
  const below = (bound: number): number => Math.floor((next() / 2 ** 32) * bound)
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: (from) => from[below(from.length)]!
  }
}
