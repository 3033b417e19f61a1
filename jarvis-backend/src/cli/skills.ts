import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { JarvisError, mainAgentId, type Skill } from 'protocol'
import type { Config } from '../config/config.ts'
import { legible } from '../gate/index.ts'
import { SkillFolders } from '../skills/folders.ts'
import { SkillLibrary } from '../skills/library.ts'
import { isCommand } from '../skills/reserved.ts'
import { shippedSkills } from '../skills/shipped/index.ts'
import type { SkillStore } from '../skills/store.ts'
import { Trees } from '../skills/tree.ts'
import { SqliteSkillStore } from '../store/sqlite/skills.ts'
import { withData } from './data.ts'
import type { Input } from './options.ts'

/** `jarvis skills`: lists the skills of the data dir, or reports a folder's problems and the parts that a person should check. Approves nothing. */
export async function skills(config: Config, { positionals: [action = 'list', folder] }: Input): Promise<void> {
  if (action === 'check' && folder !== undefined) {
    const place = realpathSync(resolve(folder))
    const skill = reading(dirname(place), nothingApproved).get(basename(place))
    console.log(lines(skill))
    if (skill.faults.length > 0) process.exitCode = 1
    return
  }
  if (action !== 'list') throw new JarvisError('invalid_request', 'Use skills list, or skills check FOLDER.')
  await withData(config, (_journal, database) => {
    const store = new SqliteSkillStore(database, mainAgentId)
    const { items, catalogue, problem } = reading(join(config.dataDir, 'workspace/skills'), store).list()
    console.log(items.length === 0 ? 'There is no skill.' : items.map(lines).join('\n'))
    if (catalogue.missing.length > 0)
      console.log(`The catalogue is full. These do not fit: ${catalogue.missing.join(', ')}.`)
    if (problem !== undefined) console.log(problem)
  })
}

/** Returns a library that only reads the skills of a folder: it records no activity and keeps no settings. */
const reading = (dir: string, store: SkillStore) =>
  new SkillLibrary({
    folders: new SkillFolders({
      dir,
      trees: new Trees(),
      reserved: (name) => (isCommand(name) ? `/${name} is a command of JARVIS.` : undefined),
    }),
    store,
    shipped: shippedSkills,
    settings: { get: () => undefined, set: () => {} },
    durably: (work) => work(),
    record() {},
    changed() {},
    now: Date.now,
  })

const nothingApproved: SkillStore = {
  approvals: () => new Map(),
  files: () => [],
  approve() {},
  turnOff() {},
  remove() {},
  used() {},
  uses: () => new Map(),
}

const lines = ({ name, state, description, faults, hints, hash, tokens }: Skill): string =>
  [
    `${name}  ${state}  ${hash?.slice(0, 16) ?? 'no hash'}  ${tokens.body} tokens  ${description.replace(/\s+/g, ' ').slice(0, 100)}`,
    ...faults.map(
      ({ path, line, message }) => `  fault  ${path === undefined ? '' : `${path}:${line ?? 1}  `}${message}`,
    ),
    ...hints.map(({ path, message }) => `  look   ${path}  ${message}`),
  ]
    .map(legible)
    .join('\n')
