/**
 * The lines of a trace, each with the steps of the model that explain it.
 *
 * @module
 */
import { useEffect, useRef, useState } from "preact/hooks"
import type { MatchedLine } from "../../engine/Messages.ts"

/** Height of a line in pixels: they are of one height, so that only those in sight need to be drawn. */
const HEIGHT = 32
const BEYOND = 8

interface Props {
  readonly lines: ReadonlyArray<MatchedLine>
  readonly step: number
  readonly onStep: (step: number) => void
  /** The step after which a line is refused: where that line leads to. */
  readonly last: number
}

const stateOf = ({ standing, steps, hidden }: MatchedLine): string => {
  if (standing === "refused") return "refused"
  if (standing === "after") return ""
  if (steps.length === 0) return "no step"
  return hidden === 0 ? `step ${steps.at(-1)}` : `step ${steps.at(-1)}, ${hidden} hidden`
}

/** The list of lines. */
export const Lines = ({ lines, step, onStep, last: lastStep }: Props) => {
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const here = lines.findIndex(({ steps }) => steps.includes(step))
  useEffect(() => {
    const element = frame.current
    if (element === null || here < 0) return
    const at = here * HEIGHT
    // The line after it is in sight as well: it may be the one that is refused.
    if (at < element.scrollTop || at + 2 * HEIGHT > element.scrollTop + element.clientHeight) {
      element.scrollTop = at - element.clientHeight / 2
    }
  }, [here])
  if (lines.length === 0) return null
  const first = Math.max(0, Math.floor(top / HEIGHT) - BEYOND)
  const last = Math.min(lines.length, first + 40 + 2 * BEYOND)
  return (
    <section aria-label="Lines of the trace">
      <h3>Lines</h3>
      {/* What scrolls has to be reached by the keyboard. */}
      <section
        class="lines"
        ref={frame}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        aria-label="Lines, matched with steps"
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      >
        <ol style={{ height: `${lines.length * HEIGHT}px` }}>
          {lines.slice(first, last).map((line, i) => {
            const target = line.standing === "refused" ? lastStep : line.steps.at(-1)
            const isAside = line.standing === "explained" && target === undefined
            return (
              <li
                key={line.number}
                class={`line ${line.standing}${isAside ? " aside" : ""}${first + i === here ? " chosen" : ""}`}
                style={{ top: `${(first + i) * HEIGHT}px`, height: `${HEIGHT}px` }}
                title={line.text}
              >
                <button type="button" class="plain" disabled={target === undefined} onClick={() => onStep(target ?? 0)}>
                  <span class="number faint">{line.number}</span>
                  <code>{line.action}</code>
                  <span class="faint line-by">{line.by}</span>
                  <span class="line-state">{stateOf(line)}</span>
                </button>
              </li>
            )
          })}
        </ol>
      </section>
    </section>
  )
}
