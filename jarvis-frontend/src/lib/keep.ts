/** What this browser keeps. Storage may be full or switched off: then nothing is kept, and nothing breaks. */
export const keep = {
  get(key: string): string | undefined {
    try {
      return localStorage.getItem(`jarvis.${key}`) ?? undefined
    } catch {
      return undefined
    }
  },
  set(key: string, value: string | undefined): void {
    try {
      if (value === undefined) localStorage.removeItem(`jarvis.${key}`)
      else localStorage.setItem(`jarvis.${key}`, value)
    } catch {
      // See above.
    }
  },
}
