import type { Config } from '../config/config.ts'
import { type PolicyFile, unmetIn } from '../gate/index.ts'
import { SqlitePersonStore } from '../store/sqlite/access/people.ts'
import { withData } from './data.ts'

/** The rules whose cards could never be approved by the people of this data dir. */
export async function unmetHere(config: Config, file: PolicyFile): Promise<string[]> {
  if (!file.rules?.some(({ approve }) => approve !== undefined)) return []
  let unmet: string[] = []
  await withData(config, (_journal, database) => {
    const enrolled = new SqlitePersonStore(database).list().filter(({ disabledAt }) => disabledAt === undefined)
    unmet = unmetIn(file, enrolled)
  })
  return unmet
}
