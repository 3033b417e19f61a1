import { createHash } from 'node:crypto'

/** Limit of all stored redacted texts together, characters. */
const mostChars = 2_000_000
/** Characters that a text without a secret counts as. Only its hash is stored. */
const unchangedCost = 100

const costOf = (safe: string | undefined) => safe?.length ?? unchangedCost
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')

/**
 * The redacted forms of the newest texts, because a text that was redacted in steps is soon redacted again when it is stored. The key is the hash of
 * the given text, so that no secret is stored.
 */
export class RememberedTexts {
  /** Redacted forms by hash; undefined: the given text has no secret. */
  readonly #byHash = new Map<string, string | undefined>()
  #chars = 0

  /** @returns `known`: the redacted form of a text; otherwise `keep`, which stores it */
  find(text: string): { known: string } | { known?: undefined; keep(safe: string): void } {
    const hash = hashOf(text)
    if (this.#byHash.has(hash)) return { known: this.#byHash.get(hash) ?? text }
    return { keep: (safe) => this.#keep(hash, text, safe) }
  }

  #keep(hash: string, text: string, safe: string): void {
    this.#put(hash, safe === text ? undefined : safe)
    // Redacting the result again changes nothing, so it is stored as a text without a secret.
    if (safe !== text) this.#put(hashOf(safe), undefined)
  }

  #put(hash: string, safe: string | undefined): void {
    if (costOf(safe) > mostChars || this.#byHash.has(hash)) return
    this.#byHash.set(hash, safe)
    this.#chars += costOf(safe)
    for (const [oldest, kept] of this.#byHash) {
      if (this.#chars <= mostChars) return
      this.#byHash.delete(oldest)
      this.#chars -= costOf(kept)
    }
  }
}
