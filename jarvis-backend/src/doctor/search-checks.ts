import type { DoctorCheck } from 'protocol'
import type { SearchConfig } from '../config/search.ts'
import type { Clock } from '../lib/clock.ts'
import { brave } from '../workbench/web/search/brave.ts'
import { SearchFailed } from '../workbench/web/search/engine.ts'
import { searxng } from '../workbench/web/search/searxng.ts'
import { bad, ok, warn } from './check.ts'

const area = 'Web search'

/** Asks the search service once. @throws the signal's reason */
export async function searchChecks(search: SearchConfig, clock: Clock, signal: AbortSignal): Promise<DoctorCheck[]> {
  const engine = 'url' in search ? searxng(search.url) : brave(search.key, clock)
  try {
    const { hits, silent } = await engine.search('proxmox', { count: 5, signal })
    const quiet = silent.length === 0 ? '' : ` Did not answer: ${silent.join(', ')}.`
    if (hits.length > 0) return [ok(area, `${engine.place} answers.${quiet}`)]
    if (silent.length === 0)
      return [warn(area, `${engine.place} found nothing for "proxmox".`, 'Are any engines switched on in it?')]
    const fix = 'These engines block it for now. Wait, or switch others on in its settings.yml, under engines:.'
    return [warn(area, `${engine.place} found nothing.${quiet}`, fix)]
  } catch (error) {
    if (!(error instanceof SearchFailed)) throw error
    return [bad(area, error.message, error.fix)]
  }
}
