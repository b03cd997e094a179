/**
 * What stands in for a module that workflow code must not use.
 *
 * A workflow's file may import anything for its step bodies, and may even prepare it at the top of the module: while
 * the module loads, a stub lets itself be called and looked into, and gives out stubs. Once workflow code runs, any use
 * throws an error that names the import.
 *
 * @module
 */

const refuse = (path: string): never => {
  throw new Error(
    `${path} is not available in workflow code, which must do the same on every replay. Use it in a step's body.`
  )
}

/**
 * A stub of `path`.
 *
 * @param isLoading tells whether the author's module is still being evaluated.
 */
export const stub = (path: string, isLoading: () => boolean): unknown => {
  const member = (key: string | symbol): unknown => {
    if (key === Symbol.toPrimitive) return isLoading() ? () => `[${path}]` : refuse(path)
    if (typeof key === "symbol" || key === "then" || key === "__esModule") return undefined
    return isLoading() ? stub(`${path}.${key}`, isLoading) : refuse(`${path}.${key}`)
  }
  // A function, so that it can be called, constructed and extended.
  const target = function stubbed() {}
  const proxy: object = new Proxy(target, {
    get: (_, key) => (key === "prototype" ? target.prototype : member(key)),
    apply: () => (isLoading() ? stub(`${path}()`, isLoading) : refuse(path)),
    construct: () => (isLoading() ? Object(stub(`new ${path}`, isLoading)) : refuse(path)),
    set: () => (isLoading() ? true : refuse(path)),
    // The bundler copies a module's own properties to an object that inherits from the module's prototype: with this,
    // what it finds missing among the own ones is looked up here.
    getPrototypeOf: () => proxy
  })
  return proxy
}
