import { type BudgetLimits, Budgets, JarvisError, type Spending } from 'protocol'
import { createBudgetSettings, dollars } from '../budgets/index.ts'
import type { Config } from '../config/config.ts'
import { midnightOf } from '../jobs/zone.ts'
import { ownZone } from '../lib/zone.ts'
import { SqliteSettings } from '../store/sqlite/settings.ts'
import { SqliteSpendingStore } from '../store/sqlite/spending.ts'
import { withData } from './data.ts'
import type { Input } from './options.ts'

const usage =
  'Use budgets, or budgets set run|day|jobs calls|tokens|usd|minutes NUMBER|none, as in: budgets set day usd 5'

/**
 * `jarvis budgets`: shows the models' use and limits of today, and sets a limit. Works with or without a running server; a running one applies the
 * limit at once.
 */
export async function budgets(config: Config, { positionals }: Input): Promise<void> {
  const [action = 'show', part = '', unit = '', value = ''] = positionals
  await withData(config, (journal, database) => {
    const settings = createBudgetSettings(new SqliteSettings(database))
    if (action === 'set') {
      database.durably(() => {
        const from = settings.current()
        const to = settings.change(changeOf(from, { part, unit, value }))
        journal.append('settings', { change: 'budgets', by: 'cli', from, to })
      })
      console.log('Done.')
      return
    }
    if (action !== 'show') throw new JarvisError('invalid_request', usage)
    const store = new SqliteSpendingStore(database)
    const since = midnightOf(ownZone(), Date.now())
    const { run, day, jobs } = settings.current()
    console.log(`A run        at most ${limitWords(run)}; ${config.maxTurns} model calls without its helpers`)
    console.log(`Today        ${spentWords(store.sum({ since }))} of ${limitWords(day)}`)
    console.log(`Jobs, today  ${spentWords(store.sum({ since, isJob: true }))} of ${limitWords(jobs)}`)
    for (const { key, spent } of store.sumsBy('agent', since)) console.log(`  ${key}: ${spentWords(spent)}`)
    const unpriced = store.unpricedSince(since)
    if (unpriced.length > 0) console.log(`Price not known: ${unpriced.join(', ')}. Their tokens count alone.`)
  })
}

/** @throws JarvisError `invalid_request` that explains how to write a limit */
function changeOf(
  from: Budgets,
  { part, unit, value }: { part: string; unit: string; value: string },
): Partial<Budgets> {
  const isPart = part === 'run' || part === 'day' || part === 'jobs'
  if (!isPart || !['calls', 'tokens', 'usd', 'minutes'].includes(unit) || value === '')
    throw new JarvisError('invalid_request', usage)
  const { [unit as keyof BudgetLimits]: _, ...rest } = from[part]
  const changed = { [part]: value === 'none' ? rest : { ...rest, [unit]: Number(value) } }
  const parsed = Budgets.partial().safeParse(changed)
  if (!parsed.success) throw new JarvisError('invalid_request', `${value} is no limit of ${unit}. ${usage}`)
  return changed as Partial<Budgets>
}

function limitWords({ calls, tokens, usd, minutes }: BudgetLimits): string {
  const parts = [
    usd === undefined ? [] : [dollars(usd)],
    tokens === undefined ? [] : [`${tokens.toLocaleString('en-US')} tokens`],
    calls === undefined ? [] : [`${calls} model calls`],
    minutes === undefined ? [] : [`${minutes} min`],
  ].flat()
  return parts.length === 0 ? 'no limit' : parts.join(', ')
}

function spentWords({ usd, tokens, calls, unpriced, isPartial }: Spending): string {
  const price =
    unpriced === 0
      ? dollars(usd)
      : unpriced === calls
        ? 'price not known'
        : `${dollars(usd)} and ${unpriced} calls without a known price`
  return `${price}, ${isPartial ? 'about ' : ''}${tokens.toLocaleString('en-US')} tokens, ${calls} ${calls === 1 ? 'call' : 'calls'}`
}
