/**
 * A search that runs, or was stopped: how far it has come, and how fast.
 *
 * @module
 */
import type { Progress as Came } from "../../../../model/checker/index.ts"
import { count, plural } from "../Plural.ts"

interface Props {
  readonly progress: Came | undefined
  /** States, as far as they are known from the model's manifest. */
  readonly expected: number | undefined
  readonly onStop?: () => void
}

/** States for each second, in words. */
export const rate = (distinct: number, seconds: number): string =>
  seconds < 0.2 ? "" : `${count(Math.round(distinct / seconds))} states/s`

/** The bar and the figures. */
export const Progress = ({ progress, expected, onStop }: Props) => {
  const done = progress === undefined || expected === undefined ? undefined : Math.min(1, progress.distinct / expected)
  return (
    <section class="verdict running" aria-label="Search">
      <div class="verdict-line">
        {onStop === undefined ? null : <span class="spinner" aria-hidden="true" />}
        <h2>
          {onStop === undefined
            ? "Stopped"
            : progress?.deciding === undefined
              ? "Exploring"
              : `Deciding ${progress.deciding}`}
        </h2>
        {onStop === undefined ? null : (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        )}
      </div>
      {onStop === undefined ? null : (
        <div
          class={`progress${done === undefined ? " unknown" : ""}`}
          role="progressbar"
          aria-label="States explored"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={done === undefined ? undefined : Math.round(done * 100)}
        >
          <span style={{ width: `${(done ?? 0.3) * 100}%` }} />
        </div>
      )}
      <p class="figures">
        {progress === undefined ? (
          <span class="faint">Compiling the model</span>
        ) : (
          <>
            <span>{plural(progress.distinct, "state")}</span>
            <span>{plural(progress.generated, "transition")}</span>
            <span>depth {progress.depth}</span>
            <span>{count(progress.queue)} to expand</span>
            <span class="strong">{rate(progress.distinct, progress.seconds)}</span>
          </>
        )}
      </p>
    </section>
  )
}
