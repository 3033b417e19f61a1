import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { AgentId, mainAgentId } from 'protocol'
import { keyringName } from 'secrets'
import { agentDir } from '../agents/agent-dir.ts'
import type { BackedUpFile } from '../store/sqlite/backup.ts'
import type { Replaced } from '../store/sqlite/restore-rights.ts'
import { createWorkspace } from '../workspace/files.ts'

/** Files in the data dir, outside the workspace, that people write. */
const ownFiles: readonly string[] = ['policy.yaml', 'mcp.json', 'prices.json', 'agents.yaml', keyringName]

/** The files that set the rights of JARVIS, its agents and people. */
const ruleFiles: readonly string[] = ['policy.yaml', 'agents.yaml']

/**
 * A file of rules whose text in the backup differs from the data dir's. `stays`: the data dir's state stays in force. `because`: the reason why it
 * does or would.
 */
export type RuleChange = { path: string; now: string | undefined; backup: string; stays: boolean; because: string }

/**
 * Compares a backup's rules with the data dir's. An older rule file may allow what was forbidden since, so the present files stay; in a data dir of
 * the same installation, an absent file stays absent too. Rules of an unproven backup are never restored without being asked for. @param takes true
 * if the operator wants the backup's rules
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

/** Reads the files that people wrote beside the database. @returns also notes: files that are left out, and files that contain secrets */
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

/** The reason why files of a backup cannot be put back: a path outside the folders of people's files. Undefined if they can. */
export function strayFile(files: readonly BackedUpFile[]): string | undefined {
  const stray = files.find(({ path }) => normalize(path) !== path || /^(?:\.\.|\/)/.test(path))
  return stray && `The backup holds a file at ${JSON.stringify(stray.path)}, which is no place of JARVIS's files.`
}

/**
 * Puts backed-up files back. A file that differs now is kept under another name; files that are not in the backup stay.
 * @param staying files of the data dir that stay unchanged; the backup's version is written beside each
 * @returns the number of written files. @throws JarvisError for a path outside the workspace
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
    // Data keys of the backup are added to the present ones, because the present ones open secrets that are not in the backup.
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
