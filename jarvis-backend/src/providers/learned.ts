/** What one server refused for one model, each part by a name. */
export type Learned = {
  has(part: string): boolean
  /** @param tool the tool that is left out from now on, if the part is one */
  add(part: string, tool?: string): void
}

/** Keeps it as long as the process. */
export function learnedInMemory(): Learned {
  const parts = new Set<string>()
  return { has: (part) => parts.has(part), add: (part) => void parts.add(part) }
}
