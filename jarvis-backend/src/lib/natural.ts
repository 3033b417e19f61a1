const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Orders names as a person counts: `node2` before `node10`. Never 0 for two names that differ, so the order is stable. */
export const byNatural = (a: string, b: string): number => collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)
