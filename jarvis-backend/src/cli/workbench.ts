import { type AreaName, areaNames, JarvisError, type WorkbenchSection } from 'protocol'
import { saveWorkbench } from '../calls/workbench-setting.ts'
import type { Config } from '../config/config.ts'
import { policyPath, policyText, readPolicy, textHash } from '../config/policy-file.ts'
import { compilePolicy } from '../gate/index.ts'
import { sectionNow } from '../gate/policy/change-workbench.ts'
import { workbenchLines } from '../gate/policy/workbench.ts'
import { SqliteSettings } from '../store/sqlite/settings.ts'
import { areas } from '../workbench/area-words.ts'
import { fileDiffOf } from '../workbench/files/diff.ts'
import { ownPathsOf } from '../workbench/own-paths.ts'
import { rootProblem } from '../workbench/root-problem.ts'
import { rootRefusal } from '../workbench/root-refused.ts'
import { withData } from './data.ts'
import type { Input } from './options.ts'
import { visible } from './terminal/visible.ts'

const usage =
  'Use workbench, workbench on AREA, workbench off AREA, workbench root add NAME PATH, workbench root remove NAME, or workbench private|egress add|remove HOST:PORT. ' +
  `Areas: ${areaNames.join(', ')}.`

/**
 * `jarvis workbench`: shows which parts of the workbench policy.yaml turns on, and turns them on and off. A running server applies a change at once.
 */
export async function workbench(
  config: Config,
  { values, positionals }: Input<{ write?: boolean; socket?: string }>,
): Promise<void> {
  if (positionals.length === 0) {
    show(config)
    return
  }
  const { dataDir } = config
  await withData(config, (journal, database) => {
    const file = policyText(dataDir)
    const { section, hash } = sectionNow(file)
    const wanted = changed(section, positionals, values)
    const own = ownPathsOf(dataDir)
    const parts = {
      file,
      hashOf: textHash,
      settings: new SqliteSettings(database),
      journal,
      transactions: database,
      refusal: (path: string) => rootRefusal(path, own),
    }
    const { before, after } = saveWorkbench(parts, { section: wanted, hash }, 'cli')
    const lines = fileDiffOf('policy.yaml', before, after).flatMap((diff) => diff.lines)
    console.log(lines.length === 0 ? 'It is so already: nothing was changed.' : lines.map(visible).join('\n'))
    const [what, name] = positionals
    if (what === 'on' && lines.length > 0) console.log(areas[name as AreaName].allows)
  })
}

type Values = { write?: boolean | undefined; socket?: string | undefined }

/** @throws JarvisError `invalid_request`, `not_found` */
function changed(section: WorkbenchSection, words: readonly string[], { write = false, socket }: Values) {
  const [what, act = '', ...rest] = words
  const wrong = new JarvisError('invalid_request', usage)
  if ((what === 'on' || what === 'off') && rest.length === 0) {
    const area = areaNames.find((name) => name === act)
    if (area === undefined) throw wrong
    return switched(section, area, { isOn: what === 'on', socket })
  }
  const [name = '', path, ...more] = rest
  if (name === '' || more.length > 0 || (act !== 'add' && act !== 'remove')) throw wrong
  if (what === 'root') {
    const { roots = [] } = section
    const others = roots.filter((root) => root.name !== name)
    if (act === 'add' && path !== undefined) {
      const root = { name, path, write }
      const isThere = others.length < roots.length
      return { ...section, roots: isThere ? roots.map((one) => (one.name === name ? root : one)) : [...roots, root] }
    }
    if (act !== 'remove' || path !== undefined) throw wrong
    if (others.length === roots.length) throw new JarvisError('not_found', `There is no root ${name}.`)
    return { ...section, roots: others }
  }
  if (path !== undefined || (what !== 'private' && what !== 'egress')) throw wrong
  const list = what === 'egress' ? section.egress : section.web.private
  const others = list.filter((site) => site.toLowerCase() !== name.toLowerCase())
  if (act === 'remove' && others.length === list.length)
    throw new JarvisError('not_found', `${name} is not listed under ${what}.`)
  const next = act === 'add' ? [...others, name] : others
  return what === 'egress' ? { ...section, egress: next } : { ...section, web: { ...section.web, private: next } }
}

function switched(
  section: WorkbenchSection,
  area: AreaName,
  { isOn, socket = '/var/run/docker.sock' }: { isOn: boolean; socket?: string | undefined },
) {
  const { roots, docker, ...rest } = section
  const kept = { roots, docker }
  switch (area) {
    case 'files':
      return { ...rest, docker, ...(isOn && { roots: roots ?? [] }) }
    case 'docker':
      return { ...rest, roots, ...(isOn && { docker: socket }) }
    case 'web':
      return { ...rest, ...kept, web: { ...rest.web, fetch: isOn } }
    default:
      return { ...rest, ...kept, [area]: isOn }
  }
}

function show({ dataDir }: Config): void {
  const read = readPolicy(policyPath(dataDir))
  if (read.kind === 'broken') throw new Error(read.problems.join('\n'))
  const { workbench: policy } = compilePolicy(read.kind === 'read' ? { file: read.file } : {})
  for (const name of areaNames) {
    const isOn = areas[name].isOn(policy)
    console.log(
      `${name.padEnd(8)} ${isOn === true ? 'on' : isOn === false ? 'off' : 'on where a search address is set'}`,
    )
  }
  for (const line of workbenchLines(policy)) console.log(`  ${visible(line)}`)
  for (const { path } of policy.roots) {
    const problem = rootProblem(path)
    if (problem !== undefined) console.log(`  ${visible(problem)}`)
  }
}
