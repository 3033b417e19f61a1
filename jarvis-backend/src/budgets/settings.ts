import { Budgets, type BudgetsChange } from 'protocol'
import { usualBudgets } from './defaults.ts'

/** Stores the operator’s limits in the settings of the database. */
export type BudgetSettings = {
  current(): Budgets
  /** Changes the limits. @returns all limits after the change */
  change(change: BudgetsChange): Budgets
}

const key = 'budgets'

/**
 * Reads and changes the operator’s limits. The default limits apply if none are stored, or if another release stored them in a form that cannot be
 * read.
 */
export function createBudgetSettings(settings: {
  get(key: string): string | undefined
  set(key: string, value: string): void
}): BudgetSettings {
  const read = (): Budgets => {
    const text = settings.get(key)
    if (text === undefined) return usualBudgets
    const parsed = Budgets.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : usualBudgets
  }
  return {
    // Reads each time, because the command line is another process and may have changed them.
    current: read,
    change({ run, day, jobs, agents }) {
      const before = read()
      const all = Object.entries({ ...before.agents, ...agents })
      const known: Budgets = {
        run: run ?? before.run,
        day: day ?? before.day,
        jobs: jobs ?? before.jobs,
        agents: Object.fromEntries(all.filter(([, limits]) => Object.keys(limits).length > 0)),
      }
      settings.set(key, JSON.stringify(known))
      return known
    },
  }
}
