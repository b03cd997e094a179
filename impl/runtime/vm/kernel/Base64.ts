/**
 * `atob` and `btoa` for a context that has neither: serialisation needs them for the bytes of typed arrays, and authors
 * know them.
 *
 * @module
 */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
const values = new Map([...alphabet].map((character, value) => [character, value]))

/** The base64 of a text whose characters are bytes. @throws RangeError for a character that is none. */
export const btoa = (binary: string): string => {
  const parts: Array<string> = []
  for (let at = 0; at < binary.length; at += 3) {
    let word = 0
    for (let i = 0; i < 3; i++) {
      const code = at + i < binary.length ? binary.charCodeAt(at + i) : 0
      if (code > 255) throw new RangeError("btoa() takes a text of bytes: no character may be above U+00FF.")
      word = (word << 8) | code
    }
    const present = Math.min(3, binary.length - at)
    for (let i = 0; i < 4; i++) parts.push(i <= present ? alphabet.charAt((word >> (18 - 6 * i)) & 63) : "=")
  }
  return parts.join("")
}

/** The text, of bytes, that base64 stands for; white space is left out. @throws RangeError for what is no base64. */
export const atob = (encoded: string): string => {
  const text = encoded.replace(/[\t\n\f\r ]/g, "").replace(/={1,2}$/, "")
  const parts: Array<string> = []
  let word = 0
  let bits = 0
  for (const character of text) {
    const value = values.get(character)
    if (value === undefined) throw new RangeError("atob() takes base64.")
    word = ((word << 6) | value) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    parts.push(String.fromCharCode((word >> bits) & 255))
  }
  if (text.length % 4 === 1) throw new RangeError("atob() takes base64.")
  return parts.join("")
}
