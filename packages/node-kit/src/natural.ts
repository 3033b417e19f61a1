const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Compares names by the numbers in them: `node2` before `node10`. Never returns 0 for two different names, so the order is always the same. */
export const byNatural = (a: string, b: string): number => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
