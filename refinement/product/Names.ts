/**
 * Short, readable names for values that are long: an event, a message, a point in the execution of a process.
 *
 * A variable of a spec holds the name, and whoever needs the value looks it up. Two values have one name exactly when
 * their keys are equal: a name that is taken already gets a number. So a state that consists of names is as exact as one
 * that consists of what they stand for, and a counterexample can be read.
 *
 * @module
 */

/** Names of the values of one kind. Names are given out in the order in which the values are met, and never taken back. */
export class Names<A> {
  readonly #byKey = new Map<string, string>()
  readonly #byName = new Map<string, A>()

  /**
   * The name of a value.
   *
   * @param key tells the value from every other one of its kind.
   * @param label what a reader should see of it; several values may share one.
   */
  nameOf(value: A, key: string, label: string): string {
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    let name = label
    for (let n = 2; this.#byName.has(name); n++) name = `${label} (${n})`
    this.#byKey.set(key, name)
    this.#byName.set(name, value)
    return name
  }

  /** The value that has a name. Throws for a name that was not given out here. */
  valueOf(name: string): A {
    const value = this.#byName.get(name)
    if (value === undefined) throw new Error(`Nothing is called ${JSON.stringify(name)} here.`)
    return value
  }

  /** How many values have names. */
  get size(): number {
    return this.#byName.size
  }
}
