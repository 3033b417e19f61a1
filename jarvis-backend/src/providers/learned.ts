/** A tool that a server is not sent. `why`: the server's words, in a sentence. */
export type LeftOut = { tool: string; why: string }

/** The parts of requests that one server refused for one model, by name. */
export type Learned = {
  has(part: string): boolean
  /** The newest part that begins so. */
  find(start: string): string | undefined
  /** @param leftOut the tool that is left out from now on, if the part is one */
  add(part: string, leftOut?: LeftOut): void
}

/** Keeps it as long as the process. */
export function learnedInMemory(): Learned {
  const parts = new Set<string>()
  return {
    has: (part) => parts.has(part),
    find: (start) => [...parts].findLast((part) => part.startsWith(start)),
    add: (part) => void parts.add(part),
  }
}
