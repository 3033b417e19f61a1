/** Most requests in a row that are spent on the search. */
const mostTries = 12

/**
 * Finds which of several tools a server refuses without naming it. All are left out first, so that the question is answered. With each of the
 * next requests half of the doubtful ones come back, until one is left.
 */
export class Suspects {
  /** Tools that the server has not accepted yet. */
  #left: readonly string[] = []
  /** The part of `#left` that surely holds a refused tool. */
  #doubtful: readonly string[] = []
  #trying: readonly string[] = []
  #tries = 0

  isSearching(): boolean {
    return this.#left.length > 0
  }

  isOut(name: string): boolean {
    return this.#left.includes(name) && !this.#trying.includes(name)
  }

  /** @param sent all suspects of the refused request @returns the one that is at fault, and whether to ask again */
  refused(sent: readonly string[]): { culprit?: string | undefined; isWorthAsking: boolean } {
    this.#tries += 1
    const tried = this.#trying.filter((name) => sent.includes(name))
    if (this.#left.length > 0 && tried.length === 0) {
      // The request is refused without any of them, so they are not at fault.
      this.#left = []
      this.#tries = 0
      return { isWorthAsking: false }
    }
    if (tried.length === 1) return { culprit: this.#found(tried[0]), isWorthAsking: true }
    if (this.#left.length === 0) this.#left = sent
    this.#doubtful = tried.length === 0 ? this.#left : tried
    this.#trying = tried.length === 0 || this.#tries >= mostTries ? [] : firstHalf(this.#doubtful)
    return { isWorthAsking: this.#left.length > 0 }
  }

  /** @param sent the tools of a request that was taken @returns the one that is at fault, and whether others are sent from now on */
  cleared(sent: readonly string[]): { culprit?: string | undefined; isOther: boolean } {
    this.#tries = 0
    if (this.#left.length === 0) return { isOther: false }
    this.#left = this.#left.filter((name) => !sent.includes(name))
    this.#doubtful = this.#doubtful.filter((name) => !sent.includes(name))
    if (this.#doubtful.length === 0) return { culprit: this.#found(undefined), isOther: true }
    // The last one is sent too: only a refusal says that it is at fault.
    this.#trying = firstHalf(this.#doubtful)
    return { isOther: true }
  }

  #found(culprit: string | undefined): string | undefined {
    this.#left = this.#left.filter((name) => name !== culprit)
    this.#doubtful = []
    // Mostly one tool alone is at fault.
    this.#trying = this.#tries < mostTries ? this.#left : []
    return culprit
  }
}

const firstHalf = (names: readonly string[]) => names.slice(0, Math.ceil(names.length / 2))
