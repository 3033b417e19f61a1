/** Values stored in this browser. If the storage is full or switched off, `set` stores nothing and does not throw. */
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
      // Storage is full or switched off.
    }
  },
}
