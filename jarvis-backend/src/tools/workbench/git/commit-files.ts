import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from 'node-kit/canonical'
import { type FileDiff, JarvisError } from 'protocol'
import { named, quoted } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../../gate/effect.ts'
import { pathEffect } from '../../../gate/index.ts'
import { oneLine } from '../../../homelab/format.ts'
import type { GitOptions } from '../../../workbench/git/git.ts'
import { filesOfPatch } from '../../../workbench/git/patch.ts'
import { RepoPath } from '../../../workbench/git/words.ts'
import { branchOf, type GitPorts, gitTool, type Opened, opened, Repo, requireNoFilters } from './git-tool.ts'

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
    pathEffect(
      {
        kind: 'data',
        path: repo,
        sentence: `${paths.length === 1 ? `The file ${quoted(paths[0] ?? '')}` : `${paths.length} paths`} of ${named(repo)} ${paths.length === 1 ? 'is' : 'are'} committed.`,
        deed: 'commit these files',
      },
      world,
    ),
  ],
  async prepare({ repo: name, paths }, { signal, sessionId }, ports) {
    const repo = opened(name, ports, { sessionId, signal })
    const { basis, diff, branch } = await beside(ports, (apart) => staged(repo, { name, paths }, { apart }))
    const changed = diff.map(({ path }) => path.slice(name.length + 1))
    return {
      now: `${changed.length} changed ${changed.length === 1 ? 'file' : 'files'}: ${quoted(changed.join(', '), 300)}`,
      then: `one commit more on ${branch === undefined ? 'no branch' : named(branch)}, ${shownWords(diff)}; the files stay as they are`,
      undo: {
        kind: 'none',
        because: 'A commit stays in the history; git revert or git reset takes it back by hand.',
        losesNothing: true,
      },
      basis,
      diff,
    }
  },
  ending: ({ repo, message }) => ({
    look: `git log in ${named(repo)} shows whether there is a commit ${quoted(message.split('\n')[0] ?? '', 80)}.`,
  }),
  timeoutMs: 120_000,
  input,
  output: z.object({ commit: z.string() }),
  async run({ repo: name, paths, message }, { signal, onProgress, sessionId, preview }, ports) {
    const repo = opened(name, ports, { sessionId, signal })
    onProgress(`Committing ${paths.length} ${paths.length === 1 ? 'file' : 'files'} in ${quoted(name, 120)}`)
    const commit = await beside(ports, async (apart) => {
      const { basis, branch } = await staged(repo, { name, paths }, { apart, isWritable: true })
      if (hashOf(basis) !== hashOf(preview?.basis ?? {}))
        throw new JarvisError('conflict', 'The files changed meanwhile. Nothing was committed: ask again.')
      const parent = basis.head === none ? [] : ['-p', basis.head]
      const made = (await repo.text(['commit-tree', basis.tree, ...parent, '-m', message], writing)).trim()
      const ref = branch === undefined ? ['--no-deref', 'HEAD'] : [`refs/heads/${branch}`]
      // Git moves the branch only if it still points to the commit on which the approved change was based.
      await repo.text(
        ['update-ref', '-m', 'commit: by JARVIS', ...ref, made, basis.head === none ? '' : basis.head],
        writing,
      )
      return made
    })
    // The index takes these paths from the commit. Other staged changes stay staged.
    const left = await repo.run(['reset', '--quiet', commit, '--', ...paths], writing)
    const note = left.exitCode === 0 ? '' : ` Git’s index could not be brought up to it: ${oneLine(left.said, 200)}`
    const short = commit.slice(0, 12)
    return { text: `Committed as ${short}.${note}`, summary: `commit ${short}`, data: { commit } }
  },
})

const author = { name: 'JARVIS', email: 'jarvis@localhost' }
const writing = { isWritable: true, author } as const
const none = 'none'
/** Maximum number of lines of a diff on a card. */
const mostLines = 1_000

/** Says how much of the commit the card shows. The approval covers the hidden lines too, by the tree's hash. */
function shownWords(diff: readonly FileDiff[]): string {
  const hidden = diff.reduce((sum, { left }) => sum + left, 0)
  if (hidden === 0) return 'exactly as shown'
  const all = diff.reduce((sum, { lines }) => sum + lines.length, hidden)
  return `of which ${hidden.toLocaleString('en')} of ${all.toLocaleString('en')} lines are too many to show and stand on no card`
}

/** Runs work with a temporary folder outside the repository, and removes the folder afterwards. */
async function beside<T>({ scratch }: Pick<GitPorts, 'scratch'>, work: (folder: string) => Promise<T>): Promise<T> {
  const { path, remove } = scratch('git')
  try {
    mkdirSync(join(path, 'objects'))
    return await work(path)
  } finally {
    remove()
  }
}

/**
 * Computes the commit of these paths in an index of its own, so that the repository's index stays as it is. `tree`: Git's hash of the whole tree. A
 * commit of the same tree on the same `head` therefore has exactly the shown difference. @throws Mistake if nothing is changed, a secret is among
 * the changes, or there is too much to show; JarvisError `conflict` with git's words
 */
async function staged(
  repo: Opened,
  { name, paths }: { name: string; paths: readonly string[] },
  options: Pick<GitOptions, 'isWritable'> & { apart: string },
): Promise<{ basis: { head: string; branch: string; tree: string }; branch: string | undefined; diff: FileDiff[] }> {
  await requireNoFilters(repo)
  for (const ref of ['MERGE_HEAD', 'CHERRY_PICK_HEAD'])
    if ((await commitAt(repo, ref)) !== none)
      throw new Mistake('repo: a merge or a cherry-pick is under way in it. End it by hand first.')
  const branch = await branchOf(repo)
  const head = await commitAt(repo, 'HEAD')
  if (head !== none) await repo.text(['read-tree', head], options)
  await repo.text(['add', '--', ...paths], options)
  const tree = (await repo.text(['write-tree'], options)).trim()
  const from = head === none ? (await repo.text(['hash-object', '-t', 'tree', '/dev/null'])).trim() : head
  const shown = [
    '--raw',
    '-z',
    '--patch',
    '--no-color',
    '--no-abbrev',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
  ]
  const { exitCode, text, said, isCut } = await repo.run(['diff', ...shown, from, tree, '--'], options)
  if (exitCode !== 0) throw new JarvisError('conflict', `Git refused: ${oneLine(said, 500)}`)
  if (isCut) throw new Mistake('paths: their difference is over 2 MB, which no card shows. Commit fewer at once.')
  const diff = filesOfPatch(text, name, mostLines)
  if (diff.length === 0) throw new Mistake('paths: nothing in them has changed, so there is nothing to commit.')
  const secret = diff.map(({ path }) => path.slice(name.length + 1)).find((path) => repo.closed(path) !== undefined)
  if (secret !== undefined) throw new Mistake(`paths: ${quoted(secret)} may hold a secret, and is not committed.`)
  return { basis: { head, branch: branch ?? none, tree }, branch, diff }
}

const commitAt = async ({ run }: Opened, ref: string): Promise<string> => {
  const { exitCode, text } = await run(['rev-parse', '--verify', '--quiet', ref])
  return exitCode === 0 ? text.trim() : none
}
