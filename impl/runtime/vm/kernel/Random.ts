/**
 * Pseudo-random numbers that a run always draws in the same order: sfc32, seeded by the run's id.
 *
 * @module
 */

/** Draws a 32-bit unsigned integer. */
export type Draw = () => number

/** Four well-mixed words of a text: four FNV-1a hashes from different offsets, each finished by an avalanche. */
const seedOf = (text: string): [number, number, number, number] => {
  const word = (offset: number): number => {
    let hash = offset
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    return (hash ^ (hash >>> 16)) >>> 0
  }
  return [word(0x811c9dc5), word(0x1b873593), word(0xcc9e2d51), word(0x9e3779b9)]
}

/** The generator that a text seeds. */
export const randomOf = (text: string): Draw => {
  let [a, b, c, counter] = seedOf(text)
  const draw = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return sum >>> 0
  }
  // The first draws still show the seed.
  for (let i = 0; i < 12; i++) draw()
  return draw
}

/** A fraction in [0, 1) with 53 random bits. */
export const fraction = (draw: Draw): number => ((draw() >>> 5) * 0x4000000 + (draw() >>> 6)) / 0x20000000000000

/** A version 4 UUID. */
export const uuid = (draw: Draw): string => {
  const bytes = Array.from({ length: 16 }, () => draw() >>> 24)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
