import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { AgentId, mainAgentId } from 'protocol'
import { keyringName } from 'secrets'
import { agentDir } from '../agents/agent-dir.ts'
import type { BackedUpFile } from '../store/sqlite/backup.ts'
import type { Replaced } from '../store/sqlite/restore-rights.ts'
import { createWorkspace } from '../workspace/files.ts'

/** Files beside the workspace that people write, in the data dir. */
const ownFiles: readonly string[] = ['policy.yaml', 'mcp.json', 'prices.json', 'agents.yaml', keyringName]

/** The files that set the rights of JARVIS, its agents and people. */
const ruleFiles: readonly string[] = ['policy.yaml', 'agents.yaml']

/** A file of rules that a backup has otherwise than the data dir. `stays`: what is here now goes on to count. `because`: why it does or would. */
export type RuleChange = { path: string; now: string | undefined; backup: string; stays: boolean; because: string }

/**
 * How a backup's rules differ from those here. An older one may allow what was forbidden since, so what is here stays, and in a data dir of the
 * same installation also what is not here. Rules that nobody vouches for never come by themselves. @param takes the operator wants the backup's
 */
export function ruleChanges(
  dataDir: string,
  files: readonly BackedUpFile[],
  { replaced, isProven, takes }: { replaced: Replaced; isProven: boolean; takes: boolean },
): RuleChange[] {
  const because = isProven ? 'an older one may allow what was forbidden since' : 'nobody vouches for the backup’s rules'
  return files.flatMap(({ path, text }) => {
    if (!ruleFiles.includes(path)) return []
    const place = join(dataDir, path)
    const now = existsSync(place) ? readFileSync(place, 'utf8') : undefined
    if (now === text) return []
    return [
      { path, now, backup: text, because, stays: !takes && (now !== undefined || replaced === 'same' || !isProven) },
    ]
  })
}

/** The folders of files that people write: the workspace, and one for each other agent. */
function foldersOf(dataDir: string): string[] {
  const agents = existsSync(join(dataDir, 'agents')) ? readdirSync(join(dataDir, 'agents')) : []
  return ['workspace', ...agents.filter((id) => AgentId.safeParse(id).success).map((id) => `agents/${id}`)]
}

/** Reads the files that people wrote beside the database. @returns also notes: what is left out, and what holds secrets */
export function filesToBackUp(
  dataDir: string,
  masterTexts: readonly string[],
): { files: BackedUpFile[]; notes: string[] } {
  const files: BackedUpFile[] = []
  const notes: string[] = []
  for (const path of ownFiles) {
    if (existsSync(join(dataDir, path))) files.push({ path, text: readFileSync(join(dataDir, path), 'utf8') })
  }
  for (const folder of foldersOf(dataDir)) {
    const workspace = createWorkspace(join(dataDir, folder))
    for (const { path } of workspace.list()) {
      const place = `${folder}/${path}`
      try {
        const { text, problem } = workspace.read(path)
        if (masterTexts.some((key) => text.includes(key)))
          notes.push(`${place} is not in it: it holds the key of the secrets.`)
        else if (problem === undefined) files.push({ path: place, text })
        else notes.push(`${place} is not in it. ${problem}`)
      } catch (error) {
        notes.push(`${place} is not in it. ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  return { files, notes }
}

/** Why files of a backup cannot be put back: a path that leads out of where people's files are. Undefined where they can. */
export function strayFile(files: readonly BackedUpFile[]): string | undefined {
  const stray = files.find(({ path }) => normalize(path) !== path || /^(?:\.\.|\/)/.test(path))
  return stray && `The backup holds a file at ${JSON.stringify(stray.path)}, which is no place of JARVIS's files.`
}

/**
 * Puts backed-up files back. A file that differs now is kept under another name; files that are not in the backup stay.
 * @param staying files of the data dir that stay as they are: the backup's is put beside each
 * @returns how many were written. @throws JarvisError for a path outside the workspace
 */
export function putBack(
  dataDir: string,
  files: readonly BackedUpFile[],
  { now, staying }: { now: number; staying: ReadonlySet<string> },
): number {
  const time = new Date(now).toISOString().replace(/[:.]/g, '-')
  const before = `.before-restore-${time}`
  let count = 0
  for (const { path, text } of files) {
    const place = join(dataDir, path)
    // Data keys are added to those that are here, which open what is not in the backup.
    if (path === keyringName) continue
    if (staying.has(path)) {
      writeFileSync(`${place}.of-backup-${time}`, text, { mode: 0o600 })
      continue
    }
    if (ownFiles.includes(path)) {
      if (existsSync(place) && readFileSync(place, 'utf8') === text) continue
      if (existsSync(place)) copyFileSync(place, place + before)
      writeFileSync(`${place}.new`, text, { mode: 0o600 })
      chmodSync(`${place}.new`, 0o600)
      renameSync(`${place}.new`, place)
    } else {
      const [, agent, ofAgent] = /^agents\/([^/]+)\/(.+)$/.exec(path) ?? []
      const workspace = createWorkspace(agentDir(dataDir, agent ?? mainAgentId))
      const name = ofAgent ?? (path.startsWith('workspace/') ? path.slice('workspace/'.length) : path)
      const known = workspace.list().some((file) => file.path === name) ? workspace.read(name) : undefined
      if (known?.problem === undefined && known?.text === text) continue
      if (known !== undefined) copyFileSync(place, place + before)
      workspace.write(name, text, known?.checksum)
    }
    count += 1
  }
  return count
}
