/**
 * An Effect scheduler that runs nothing by itself: tasks wait until a driver drains them.
 *
 * Draining runs every task that is ready, and those that they make ready, synchronously and in a fixed order, until
 * nothing more can run. A drained scheduler is at rest: each fiber has ended, or waits for an answer that only the
 * driver can give. No timer and no promise takes part, so the same answers lead to the same execution.
 *
 * A crash is abandonment. The tasks of a dead process are dropped and never run, which is what a killed process does;
 * interruption would run its finalizers.
 *
 * @module
 */
import type { Scheduler } from "effect"

type Task = () => void

/** The scheduler of one simulated process. */
export class ControlledScheduler implements Scheduler.Scheduler, Scheduler.SchedulerDispatcher {
  readonly executionMode = "sync"
  private ready: Array<{ readonly task: Task; readonly priority: number }> = []
  private dead = false

  shouldYield(): boolean {
    return false
  }

  makeDispatcher(): this {
    return this
  }

  scheduleTask(task: Task, priority: number): void {
    if (this.dead) return
    const after = this.ready.findIndex((other) => other.priority > priority)
    this.ready.splice(after === -1 ? this.ready.length : after, 0, { task, priority })
  }

  flush(): void {
    this.drain()
  }

  /** Runs until this process is at rest. */
  drain(): void {
    for (let next = this.ready.shift(); next !== undefined; next = this.ready.shift()) next.task()
  }

  /** Kills the process: what was ready is dropped, and nothing of it ever runs again. */
  abandon(): void {
    this.dead = true
    this.ready = []
  }
}
