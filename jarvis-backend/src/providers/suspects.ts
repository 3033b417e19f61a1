/** Maximum number of requests in a row for the search. */
const mostTries = 12

/**
 * Searches for the tool that a server refuses without naming it. At first all suspects are left out, so that the question gets an answer. Each of
 * the next requests includes half of the remaining suspects, until one is left.
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

  /**
   * Reads a refusal. @param sent all suspects in the refused request @returns the tool at fault if it is found, and true if the request should be
   * sent again
   */
  refused(sent: readonly string[]): { culprit?: string | undefined; isWorthAsking: boolean } {
    this.#tries += 1
    const tried = this.#trying.filter((name) => sent.includes(name))
    if (this.#left.length > 0 && tried.length === 0) {
      // The server refused a request without these tools, so none of them is at fault.
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

  /**
   * Reads a success. @param sent the tools of the accepted request @returns the tool at fault if it is found, and true if other tools are sent from
   * now on
   */
  cleared(sent: readonly string[]): { culprit?: string | undefined; isOther: boolean } {
    this.#tries = 0
    if (this.#left.length === 0) return { isOther: false }
    this.#left = this.#left.filter((name) => !sent.includes(name))
    this.#doubtful = this.#doubtful.filter((name) => !sent.includes(name))
    if (this.#doubtful.length === 0) return { culprit: this.#found(undefined), isOther: true }
    // The last suspect is sent too, because only a refusal proves that it is at fault.
    this.#trying = firstHalf(this.#doubtful)
    return { isOther: true }
  }

  #found(culprit: string | undefined): string | undefined {
    this.#left = this.#left.filter((name) => name !== culprit)
    this.#doubtful = []
    // Usually only one tool is at fault, so all others are tried together.
    this.#trying = this.#tries < mostTries ? this.#left : []
    return culprit
  }
}

const firstHalf = (names: readonly string[]) => names.slice(0, Math.ceil(names.length / 2))
