import type { BudgetLimits, Budgets } from 'protocol'

export type Part = 'run' | 'day' | 'jobs'
/** The typed fields alone. `undefined`: the field was emptied, so there is no limit. */
export type Edits = { readonly [part in Part]?: { readonly [unit in keyof BudgetLimits]?: number | undefined } }

/** The edits with one more typed field. */
export const typed = (edits: Edits, [part, unit, text]: readonly [Part, keyof BudgetLimits, string]): Edits => ({
  ...edits,
  [part]: { ...edits[part], [unit]: text === '' ? undefined : Number(text) },
})

/** The limits that are kept, with the typed fields over them: a change from elsewhere shows in the other fields only. */
export function withEdits(kept: Pick<Budgets, Part>, edits: Edits): Pick<Budgets, Part> {
  const over = (part: Part): BudgetLimits =>
    Object.fromEntries(Object.entries({ ...kept[part], ...edits[part] }).filter(([, limit]) => limit !== undefined))
  return { run: over('run'), day: over('day'), jobs: over('jobs') }
}
