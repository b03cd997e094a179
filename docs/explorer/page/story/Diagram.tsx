/**
 * A behaviour as a sequence diagram that one can go through with the keys.
 *
 * It is a list box: a step is an option, and what is chosen is announced. Only the rows in sight are drawn.
 *
 * @module
 */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Told, ToldStep } from "../../engine/Told.ts"
import { type Drawn, drawn, GUTTER, type Lifelines, lifelines, ROW } from "./Lifelines.ts"

/** What is said of a step beside its arrow. */
export interface Mark {
  /** `bad` is of the step itself; `next` of what comes after it, so the step is drawn like any other. */
  readonly tone: "bad" | "next" | "good" | "accent"
  readonly text: string
}

interface Props {
  readonly told: Told
  readonly chosen: number
  readonly onChoose: (step: number) => void
  readonly hidden: ReadonlyArray<string>
  readonly onHide: (process: string) => void
  /** By step. */
  readonly marks: ReadonlyMap<number, Mark>
}

const BEYOND = 6

const Arrow = ({ place, width }: { readonly place: Drawn; readonly width: number }) => {
  const { from, to } = place
  const y = 35
  const start = from ?? to[0]
  return (
    <svg class="arrow" width={width} height={ROW} aria-hidden="true">
      {start === undefined ? null : <circle cx={start} cy={y} r={3.5} class="dot" />}
      {from === undefined
        ? null
        : to.map((end) => {
            const way = end > from ? 1 : -1
            return (
              <g key={end}>
                <line x1={from} x2={end - way * 7} y1={y} y2={y} />
                <path d={`M${end - way * 8} ${y - 4.5} L${end} ${y} L${end - way * 8} ${y + 4.5} Z`} />
              </g>
            )
          })}
    </svg>
  )
}

const Row = ({
  step,
  lines,
  isChosen,
  mark
}: {
  readonly step: ToldStep
  readonly lines: Lifelines
  readonly isChosen: boolean
  readonly mark: Mark | undefined
}) => {
  const place = drawn(step, lines, mark?.text)
  const style = "left" in place.label ? { left: `${place.label.left}px` } : { right: `${place.label.right}px` }
  return (
    <>
      <span class="row-number">{step.number}</span>
      <Arrow place={place} width={lines.width} />
      <span class="row-label" style={style}>
        {place.from === undefined ? <span class="faint">{step.process}: </span> : null}
        {step.label}
        {mark === undefined || place.markBelow ? null : <span class={`mark-text ${mark.tone}`}>{mark.text}</span>}
      </span>
      {mark === undefined || !place.markBelow ? null : (
        <span class={`mark-text below ${mark.tone}`} style={{ left: `${GUTTER - 6}px` }}>
          {mark.text}
        </span>
      )}
      <span class="visually-hidden">
        {`, by ${step.process}${step.receivers.length === 0 ? "" : `, to ${step.receivers.join(" and ")}`}${isChosen ? `. ${step.changes.join("; ")}` : ""}`}
      </span>
    </>
  )
}

/** The diagram. */
export const Diagram = ({ told, chosen, onChoose, hidden, onHide, marks }: Props) => {
  const frame = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(600)
  const [sight, setSight] = useState({ top: 0, height: 800 })
  const total = told.steps.length + 1
  const lines = lifelines(told, hidden, room)

  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const measure = () => {
      setRoom(element.clientWidth)
      setSight({ top: element.scrollTop, height: element.clientHeight })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const head = element.querySelector("thead, .lifeline-names")?.clientHeight ?? 0
    const top = chosen * ROW
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + ROW > element.scrollTop + element.clientHeight - head) {
      element.scrollTop = top + ROW - element.clientHeight + head
    }
  }, [chosen, told])

  const first = Math.max(0, Math.floor(sight.top / ROW) - BEYOND)
  const last = Math.min(total - 1, Math.ceil((sight.top + sight.height) / ROW) + BEYOND)
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)
  // What is chosen is there for a screen reader even when it is out of sight.
  const numbers = shown.includes(chosen) || chosen >= total ? shown : [...shown, chosen]

  const move = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(sight.height / ROW) - 1)
    const to = {
      ArrowDown: chosen + 1,
      j: chosen + 1,
      ArrowUp: chosen - 1,
      k: chosen - 1,
      PageDown: chosen + page,
      PageUp: chosen - page,
      Home: 0,
      End: total - 1
    }[event.key]
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    onChoose(Math.max(0, Math.min(total - 1, to)))
  }

  return (
    <div
      class="diagram"
      ref={frame}
      onScroll={({ currentTarget }) => setSight({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
    >
      <div class="lifeline-names" style={{ width: `${lines.width}px` }}>
        {lines.processes.map((name) => (
          <button
            key={name}
            type="button"
            class="lifeline-name"
            style={{ left: `${lines.at(name)}px` }}
            onClick={() => onHide(name)}
            title={`Hide ${name}`}
            aria-label={`Hide the lifeline of ${name}`}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        class="rows"
        role="listbox"
        aria-label="Steps of the behaviour"
        tabIndex={0}
        aria-activedescendant={`step-${chosen}`}
        onKeyDown={move}
        style={{ width: `${lines.width}px`, height: `${total * ROW}px` }}
      >
        <svg class="lifelines" width={lines.width} height={total * ROW} aria-hidden="true">
          {lines.processes.map((name) => (
            <line key={name} x1={lines.at(name)} x2={lines.at(name)} y1={0} y2={total * ROW} />
          ))}
        </svg>
        {numbers.map((number) => {
          const step = told.steps[number - 1]
          const mark = marks.get(number)
          const tone = mark?.tone === "bad" ? " bad" : step?.environment === true ? " environment" : ""
          return (
            // The keys are the list box's, and its active descendant is what is chosen: no option has the focus.
            // biome-ignore lint/a11y/useFocusableInteractive: see above
            // biome-ignore lint/a11y/useKeyWithClickEvents: see above
            <div
              key={number}
              id={`step-${number}`}
              class={`row${number === chosen ? " chosen" : ""}${tone}`}
              role="option"
              aria-selected={number === chosen}
              aria-posinset={number + 1}
              aria-setsize={total}
              style={{ top: `${number * ROW}px`, height: `${ROW}px` }}
              onClick={() => onChoose(number)}
            >
              {step === undefined ? (
                <>
                  <span class="row-number">0</span>
                  <span class="row-label start" style={{ left: `${GUTTER}px` }}>
                    The initial state
                    {mark === undefined ? null : <span class={`mark-text ${mark.tone}`}>{mark.text}</span>}
                  </span>
                </>
              ) : (
                <Row step={step} lines={lines} isChosen={number === chosen} mark={mark} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}
