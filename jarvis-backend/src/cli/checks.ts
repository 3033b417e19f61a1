import { spanOf } from 'node-kit/words'
import type { Config } from '../config/config.ts'
import { SqliteCheckStore } from '../store/sqlite/alerts.ts'
import type { CheckRun } from '../watch/alert.ts'
import { makeChecks } from '../watch/checks/index.ts'
import { withData } from './data.ts'

/** `jarvis checks`: lists the checks, the time of each last run, and the objects that could not be seen. */
export async function checks(config: Config): Promise<void> {
  await withData(config, (_journal, database) => {
    const runs = new Map(new SqliteCheckStore(database).list().map((run) => [run.id, run]))
    const shipped = makeChecks()
    const now = Date.now()
    for (const { id, title, reads } of shipped) console.log(line({ title, reads }, runs.get(id) ?? { id }, now))
    for (const [id, run] of runs)
      if (!shipped.some((check) => check.id === id)) console.log(line({ title: id, reads: 'own' }, run, now))
  })
}

function line(
  { title, reads }: { title: string; reads: string },
  { id, isOff, lastAt, problem, cannotRun }: CheckRun,
  now: number,
): string {
  const when = lastAt === undefined ? 'has not looked' : `looked ${spanOf((now - lastAt) / 1_000)} ago`
  const state = isOff === true ? 'off' : cannotRun === true ? 'cannot run' : when
  return `${id.padEnd(20)} ${title}: ${state}${problem === undefined ? '' : `. ${problem}`}\n  ${reads}`
}
