import { z } from 'zod'
import { Mistake } from '../../../gate/effect.ts'
import { pathEffect } from '../../../gate/index.ts'
import { named, quoted } from '../../../redaction/visible.ts'
import { RepoPath } from '../../../workbench/git/words.ts'
import { branchOf, gitTool, type Opened, opened, Repo, requireNoFilters } from './git-tool.ts'

const author = { name: 'JARVIS', email: 'jarvis@localhost' }
const input = z.strictObject({
  repo: Repo,
  paths: z
    .array(RepoPath)
    .min(1)
    .max(100)
    .describe('Files or folders within the repository; nothing else is committed.'),
  message: z.string().trim().min(1).max(2_000),
})

export const commitFiles = gitTool({
  name: 'commit_files',
  title: 'Commit files',
  description:
    'Commits the named files of a Git repository in a root of the workbench, as JARVIS, without hooks. Other files that are staged stay so.',
  tier: 'yellow',
  touches: [{ kind: 'data', on: 'path' }],
  effects: ({ repo, paths }, world) => [
    pathEffect('data', repo, world, {
      sentence: `${paths.length === 1 ? `The file ${quoted(paths[0] ?? '')}` : `${paths.length} paths`} of ${named(repo)} ${paths.length === 1 ? 'is' : 'are'} committed.`,
      deed: 'commit these files',
    }),
  ],
  async prepare({ repo: name, paths }, { signal, sessionId }, ports) {
    const repo = opened(name, ports, sessionId, signal)
    await requireNoFilters(repo)
    const changed = await changedIn(repo, paths)
    const secret = changed.find((path) => repo.closed(path) !== undefined)
    if (secret !== undefined) throw new Mistake(`paths: ${quoted(secret)} may hold a secret, and is not committed.`)
    const branch = await branchOf(repo)
    const head = await headOf(repo)
    return {
      now: `${changed.length} changed ${changed.length === 1 ? 'file' : 'files'}: ${quoted(changed.join(', '), 300)}`,
      then: `one commit more on ${branch === undefined ? 'no branch' : named(branch)}; the files stay as they are`,
      undo: { kind: 'none', because: 'A commit stays in the history; git revert or git reset takes it back by hand.' },
      basis: { head, files: changed.join('\n') },
    }
  },
  ending: ({ repo, message }) => ({
    look: `git log in ${named(repo)} shows whether there is a commit ${quoted(message.split('\n')[0] ?? '', 80)}.`,
  }),
  timeoutMs: 120_000,
  input,
  output: z.object({ commit: z.string() }),
  async run({ repo: name, paths, message }, { signal, sessionId }, ports) {
    const repo = opened(name, ports, sessionId, signal)
    await requireNoFilters(repo)
    const options = { isWritable: true, author } as const
    await repo.text(['add', '--', ...paths], options)
    await repo.text(
      ['commit', '--quiet', '--no-verify', '--no-gpg-sign', '--message', message, '--only', '--', ...paths],
      options,
    )
    const commit = await headOf(repo)
    return { text: `Committed as ${commit.slice(0, 12)}.`, summary: `commit ${commit.slice(0, 12)}`, data: { commit } }
  },
})

/** @throws Mistake where nothing is changed */
async function changedIn(repo: Opened, paths: readonly string[]): Promise<string[]> {
  const said = await repo.text(['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--', ...paths])
  const changed = said.split('\0').flatMap((line) => (line.length > 3 ? [line.slice(3)] : []))
  if (changed.length === 0) throw new Mistake('paths: nothing in them has changed, so there is nothing to commit.')
  return changed
}

const headOf = async ({ run }: Opened): Promise<string> => {
  const { exitCode, text } = await run(['rev-parse', '--verify', '--quiet', 'HEAD'])
  return exitCode === 0 ? text.trim() : 'none'
}
