import { utimesSync } from 'node:fs'
import { JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import { JobSwitches } from '../jobs/switches.ts'
import { timesOf } from '../jobs/times.ts'
import { scheduleWords } from '../jobs/words.ts'
import { ownZone } from '../lib/zone.ts'
import { SqliteJobStore } from '../store/sqlite/jobs.ts'
import { SqliteSettings } from '../store/sqlite/settings.ts'
import { withData } from './data.ts'
import type { Input } from './options.ts'

const usage = 'Use jobs, jobs pause ID, jobs resume ID, jobs stop or jobs start.'

/** `jarvis jobs`: lists the jobs, pauses and resumes one job, stops and starts all. Works with or without a running server. */
export async function jobs(config: Config, { positionals }: Input): Promise<void> {
  const [action = 'list', id = ''] = positionals
  await withData(config, (journal, database) => {
    const store = new SqliteJobStore(database)
    const now = Date.now()
    const switches = new JobSwitches({
      store,
      settings: new SqliteSettings(database),
      journal,
      transactions: database,
      now: () => now,
    })
    const acts: Record<string, () => unknown> = {
      pause: () => switches.pause(id, 'cli', 'Paused from the command line.'),
      resume: () => switches.resume(id, 'cli'),
      stop: () => switches.switchAll(true, 'cli'),
      start: () => switches.switchAll(false, 'cli'),
    }
    if (action !== 'list') {
      const act = Object.hasOwn(acts, action) ? acts[action] : undefined
      if (act === undefined) throw new JarvisError('invalid_request', usage)
      if ((action === 'pause' || action === 'resume') && store.get(id) === undefined)
        throw new JarvisError('not_found', `There is no job ${id}. jobs lists them.`)
      const came = act()
      const isChanged = came !== undefined && came !== false
      // A running server watches the data dir, so touching the folder makes it look at its jobs at once.
      utimesSync(config.dataDir, new Date(now), new Date(now))
      console.log(isChanged ? 'Done.' : 'It was so before.')
      return
    }
    const stopped = switches.stopped()
    if (stopped !== undefined) console.log(`All jobs were stopped by ${stopped.by} at ${time(stopped.at)}.`)
    const lines = store.list().map((job) => {
      const next = job.state === 'active' ? timesOf(job.schedule, Math.min(job.anchor, now)).next(now, 1)[0] : undefined
      const [last] = store.slots(job.id, { limit: 1 })
      return [
        `${job.id}  ${job.name}  ${scheduleWords(job.schedule, ownZone())}  ${job.state}${job.paused === undefined ? '' : ` by ${job.paused.by}: ${job.paused.why}`}`,
        `  next ${next === undefined ? 'never' : time(next)}; last ${last === undefined ? 'never' : `${time(last.slot)} ${last.state}${last.summary === undefined ? '' : `: ${last.summary}`}`}`,
      ].join('\n')
    })
    console.log(lines.length === 0 ? 'Nothing runs by itself.' : lines.join('\n'))
  })
}

const time = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
