import { utimesSync } from 'node:fs'
import { JarvisError, ProfileName, profileNames } from 'protocol'
import { readProfile, setProfile } from '../calls/profile-setting.ts'
import type { Config } from '../config/config.ts'
import { profiles } from '../gate/index.ts'
import { SqliteSettings } from '../store/sqlite/settings.ts'
import { withData } from './data.ts'
import type { Input } from './options.ts'

/** `jarvis profile`: shows or sets the safety profile; a running server applies it from the next call. */
export async function profile(config: Config, { positionals }: Input): Promise<void> {
  const [name, ...rest] = positionals
  const wanted = ProfileName.optional().safeParse(name)
  if (!wanted.success || rest.length > 0) {
    throw new JarvisError('invalid_request', `Use profile NAME, where NAME is one of ${profileNames.join(', ')}.`)
  }
  await withData(config, (journal, database) => {
    const settings = new SqliteSettings(database)
    const next = wanted.data
    if (next !== undefined) {
      database.durably(() => setProfile({ settings, journal }, next, 'cli'))
      // A running server watches the data dir, so touching the folder makes it update its screens at once.
      const now = new Date()
      utimesSync(config.dataDir, now, now)
    }
    const current = readProfile(settings)
    console.log(
      profileNames
        .map((each) => `${each === current ? '*' : ' '} ${each.padEnd(12)}  ${profiles[each].description}`)
        .join('\n'),
    )
  })
}
