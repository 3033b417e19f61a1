const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Orders names by their numbers: `node2` before `node10`. Never 0 for two different names, so the order is stable. */
export const byNatural = (a: string, b: string): number => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
