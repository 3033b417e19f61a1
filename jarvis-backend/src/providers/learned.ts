/** A tool that is left out of requests to a server. `why`: the server's reason, a sentence. */
export type LeftOut = { tool: string; why: string }

/** The parts of requests that one server refused for one model, each with a name. */
export type Learned = {
  has(part: string): boolean
  /** The newest part whose name begins with `start`. */
  find(start: string): string | undefined
  /** Adds a refused part. @param leftOut the tool that is left out from now on, if the part is a tool */
  add(part: string, leftOut?: LeftOut): void
}

/** Returns a store that lives only as long as the process. */
export function learnedInMemory(): Learned {
  const parts = new Set<string>()
  return {
    has: (part) => parts.has(part),
    find: (start) => [...parts].findLast((part) => part.startsWith(start)),
    add: (part) => void parts.add(part),
  }
}
