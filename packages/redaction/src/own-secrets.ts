import { redacted } from './assignments.ts'
import { inBase64 } from './base64.ts'

/** Shortest configured secret that is redacted, characters. Shorter ones would match ordinary words. */
const minSecret = 6
/** Characters at a secret's beginning that may be shown before the rest is held back. */
const minPrefix = 4
const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
const alternatives = (parts: readonly string[]) => [...new Set(parts)].map(literal).join('|')

/** Returns the spellings of a secret: plain, in JSON, in a URL, in base64 at each byte offset, in hex; longest first. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const url = encodeURIComponent(secret.toWellFormed())
  const base64 = inBase64(bytes).flatMap((own) =>
    own.length < 8 ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')],
  )
  const all = [secret, JSON.stringify(secret).slice(1, -1), url, url.replace(/%../g, (code) => code.toLowerCase())]
  return [...new Set([...all, ...base64, bytes.toString('hex')])].sort((a, b) => b.length - a.length)
}

/** The configured secrets in any spelling. */
export class OwnSecrets {
  /** Matches the beginnings of all spellings; undefined if there are none. */
  readonly begun: RegExp | undefined
  readonly #spellings: readonly { spelling: string; prefix: string }[]
  readonly #whole: RegExp | undefined

  constructor(secrets: readonly string[]) {
    const known = [...new Set(secrets)].filter((secret) => secret.length >= minSecret).flatMap(spellings)
    this.#spellings = known.map((spelling) => ({ spelling, prefix: spelling.slice(0, minPrefix) }))
    if (known.length === 0) return
    this.#whole = new RegExp(alternatives(known), 'g')
    this.begun = new RegExp(alternatives(this.#spellings.map(({ prefix }) => prefix)))
  }

  redactedIn(text: string): string {
    return this.#whole === undefined ? text : text.replace(this.#whole, redacted)
  }

  /** True if the text holds a secret, or ends with the beginning of one. */
  areIn(text: string): boolean {
    if (this.begun?.test(text) !== true) return false
    return this.#spellings.some(({ spelling, prefix }) => {
      for (let at = text.indexOf(prefix); at !== -1; at = text.indexOf(prefix, at + 1)) {
        if (spelling.startsWith(text.slice(at, at + spelling.length))) return true
      }
      return false
    })
  }

  /** Returns the position before `end` from which the end of `text` could become a secret; otherwise `end`. */
  unfinishedAt(text: string, end: number): number {
    let at = end
    for (const { spelling, prefix } of this.#spellings) {
      let from = Math.max(0, text.length - spelling.length + 1)
      for (from = text.indexOf(prefix, from); from !== -1 && from < at; from = text.indexOf(prefix, from + 1)) {
        if (spelling.startsWith(text.slice(from))) at = from
      }
    }
    return at
  }
}
