/** Most requests in a row that are spent on the search. */
const mostTries = 12

/**
 * Finds which of several tools a server refuses without naming it. All are left out first, so that the question is answered. With the next
 * requests half of those come back among which it is, until one is left.
 */
export function createSuspects() {
  /** Tools that the server has not accepted yet. */
  let left: readonly string[] = []
  /** The part of `left` that surely holds a refused tool. */
  let doubtful: readonly string[] = []
  let trying: readonly string[] = []
  let tries = 0

  function found(culprit: string | undefined): string | undefined {
    left = left.filter((name) => name !== culprit)
    doubtful = []
    // Mostly there is one alone.
    trying = tries < mostTries ? left : []
    return culprit
  }

  return {
    isSearching: (): boolean => left.length > 0,
    isOut: (name: string): boolean => left.includes(name) && !trying.includes(name),

    /** @param sent all that were in the refused request @returns the one that is at fault, and whether to ask again */
    refused(sent: readonly string[]): { culprit?: string | undefined; isWorthAsking: boolean } {
      tries += 1
      const tried = trying.filter((name) => sent.includes(name))
      if (left.length > 0 && tried.length === 0) {
        // It is refused without any of them, so they are not at fault.
        left = []
        tries = 0
        return { isWorthAsking: false }
      }
      if (tried.length === 1) return { culprit: found(tried[0]), isWorthAsking: true }
      if (left.length === 0) left = sent
      doubtful = tried.length === 0 ? left : tried
      trying = tried.length === 0 || tries >= mostTries ? [] : firstHalf(doubtful)
      return { isWorthAsking: left.length > 0 }
    },

    /** @param sent the tools of a request that was taken @returns the one that is at fault, and whether others are sent from now on */
    cleared(sent: readonly string[]): { culprit?: string | undefined; isOther: boolean } {
      tries = 0
      if (left.length === 0) return { isOther: false }
      left = left.filter((name) => !sent.includes(name))
      doubtful = doubtful.filter((name) => !sent.includes(name))
      if (doubtful.length === 0) return { culprit: found(undefined), isOther: true }
      // The last one is sent too: only a refusal says that it is at fault.
      trying = firstHalf(doubtful)
      return { isOther: true }
    },
  }
}

const firstHalf = (names: readonly string[]) => names.slice(0, Math.ceil(names.length / 2))
