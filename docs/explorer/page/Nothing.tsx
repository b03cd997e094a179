/**
 * What stands where there is nothing to show: not yet, not any more, or because something went wrong.
 *
 * @module
 */
import type { ComponentChildren } from "preact"

/** An empty place, and what can be done about it. */
export const Nothing = ({
  title,
  busy = false,
  children
}: {
  readonly title: string
  readonly busy?: boolean
  readonly children?: ComponentChildren
}) => (
  <div class="nothing" role={busy ? "status" : undefined}>
    {busy ? <span class="spinner" aria-hidden="true" /> : null}
    <p class="nothing-title">{title}</p>
    {children === undefined ? null : <p class="faint">{children}</p>}
  </div>
)
