/**
 * How many states a search has before it, from what a sample of it showed.
 *
 *     states of a level (logarithm)
 *        │            . - ' ' - .
 *        │        ,'               `.            known: every state of these levels was found
 *        │     ,/  · · · · · · · · · `.          beam:  from here on only a few of each level were followed,
 *        │   ,/                        `.               until none had a successor that was new
 *        └──known──┤├────── beam ─────────┴──▶ depth
 *
 * A bounded model begins small, grows, and ends: the sizes of its levels rise and fall. The known levels say how large
 * it is where the beam starts, and how steeply it rises there. The beam says where it ends, and how many new states each
 * state of a level had. Two curves go from the one to the other, to a last level of one state:
 *
 * - One has the beam's shape. A beam sees too few states to notice that several of them lead to the same one, so its
 *   growth is lowered: by the same factor at each level, or by one that becomes stronger from level to level.
 * - The other rises as steeply as what is known, and bends down: with the square of the distance, or with its cube.
 *   Since growth becomes less from level to level, the former looks only at the last of it.
 *
 * In each pair the first gives less than the second. Spaces are mostly between the least and the most of the four, and
 * what lies outside of that is the more, the less is known.
 *
 * None of this is proved. How often the range holds is measured on the shipped models, and said in `docs/benchmarks.md`.
 *
 * @module
 */

/** What a sample of a spec's states showed. */
export interface Growth {
  /** The sizes of the first levels, each complete; at least one, and none is 0. */
  readonly levels: ReadonlyArray<number>
  /** By level beyond these: new states for each state of the beam, more than 0; empty when the beam ended at once. */
  readonly beam: ReadonlyArray<number>
}

/** A number of states that is not known exactly. */
export interface SizeRange {
  readonly low: number
  readonly likely: number
  readonly high: number
}

/** The powers of the distance with which a beam is lowered. */
const LOWERING = [0, 0.5] as const
/** The powers with which the other curve bends, and over how many of the last known levels it is measured how it rises. */
const BENDING = [
  { power: 2, back: 1 },
  { power: 3, back: 3 }
] as const
/** The less of the space is known, the wider is the range. */
const WIDENING = 0.08
const LEAST_WIDENING = 1.1

/** How many states there are, the known ones included. */
export const extrapolate = ({ levels, beam }: Growth): SizeRange => {
  const known = levels.reduce((sum, size) => sum + size, 0)
  const last = Math.log(levels.at(-1)!)
  const tails = [
    ...LOWERING.map((power) => beamShaped(last, beam, power)),
    ...BENDING.map(({ power, back }) => bent(last, steepness({ levels, beam }, back), beam.length, power))
  ]
  const least = known + Math.min(...tails)
  const most = known + Math.max(...tails)
  const likely = Math.sqrt(least * most)
  const widening = Math.max(LEAST_WIDENING, (likely / known) ** WIDENING)
  return { low: least / widening, likely, high: most * widening }
}

/** By how much the logarithm of a level's size rises at the last known ones. */
const steepness = ({ levels, beam }: Growth, over: number): number => {
  const back = Math.min(over, levels.length - 1)
  if (back === 0) return Math.log(beam[0] ?? 1)
  return (Math.log(levels.at(-1)!) - Math.log(levels.at(-1 - back)!)) / back
}

/** The states of the levels that a beam went through. */
const beamShaped = (last: number, beam: ReadonlyArray<number>, power: number): number => {
  const surplus = beam.reduce((sum, each) => sum + Math.log(each), last)
  const weight = beam.reduce((sum, _, i) => sum + (i + 1) ** power, 0)
  let size = last
  return beam.reduce((states, each, i) => {
    size += Math.log(each) - (surplus / weight) * (i + 1) ** power
    return states + Math.exp(size)
  }, 0)
}

/** The states of so many levels. */
const bent = (last: number, slope: number, levels: number, power: number): number => {
  const bend = (last + slope * levels) / levels ** power
  let states = 0
  for (let x = 1; x <= levels; x++) states += Math.exp(last + slope * x - bend * x ** power)
  return states
}
