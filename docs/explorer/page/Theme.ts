/**
 * Light, dark, or as the system is: what somebody chose is kept for the next time, where that is allowed.
 *
 * @module
 */
import { effect, signal } from "@preact/signals"

/** What may be chosen. */
export type Theme = "system" | "light" | "dark"

const KEY = "onewriter-theme"

const kept = (): Theme => {
  try {
    const value = localStorage.getItem(KEY)
    return value === "light" || value === "dark" ? value : "system"
  } catch {
    // A page from a disk may have no storage. Then the choice is for this time alone.
    return "system"
  }
}

/** What was chosen. */
export const theme = signal<Theme>(kept())

effect(() => {
  const chosen = theme.value
  if (chosen === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
  try {
    if (chosen === "system") localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, chosen)
  } catch {
    // As above.
  }
})

/** The next choice, for one button. */
export const nextTheme = (): void => {
  theme.value = theme.value === "system" ? "dark" : theme.value === "dark" ? "light" : "system"
}
