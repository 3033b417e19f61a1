import { z } from 'zod'
import { Mistake } from '../../../gate/effect.ts'
import { pathEffect } from '../../../gate/index.ts'
import { oneLine } from '../../../homelab/format.ts'
import { JarvisError } from '../../../protocol/index.ts'
import { named, quoted } from '../../../redaction/visible.ts'
import { BranchName } from '../../../workbench/git/words.ts'
import { branchOf, gitTool, type Opened, opened, Repo, requireNoFilters } from './git-tool.ts'

const name = 'switch_branch'

export const switchBranch = gitTool({
  name,
  title: 'Switch to another branch',
  description:
    'Switches a Git repository in a root of the workbench to another branch, or makes one. Git refuses where changes that are not committed would be lost.',
  tier: 'yellow',
  touches: [{ kind: 'data', on: 'path' }],
  effects: ({ repo, branch, create }, world) => [
    pathEffect('data', repo, world, {
      sentence: `${named(repo)} ${create ? 'gets a new branch' : 'goes to the branch'} ${named(branch)}${create ? '' : ', and its files become those of the branch'}.`,
      deed: create ? 'make this branch' : 'switch to this branch',
    }),
  ],
  async prepare({ repo: folder, branch, create }, { signal, sessionId }, ports) {
    const repo = opened(folder, ports, sessionId, signal)
    await requireNoFilters(repo)
    const before = await branchOf(repo)
    const isThere = (await repo.run(['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])).exitCode === 0
    if (create && isThere) throw new Mistake(`branch: ${named(branch)} is there already.`)
    if (!create && !isThere) throw new Mistake(`branch: there is no branch ${named(branch)}; create: true makes it.`)
    if (before === branch) throw new Mistake(`branch: ${named(branch)} is checked out already.`)
    if (!create) await requireNoneStays(repo, branch)
    return {
      now: before === undefined ? 'no branch is checked out' : `on ${named(before)}`,
      then: `on ${named(branch)}`,
      undo:
        before === undefined
          ? { kind: 'none', because: 'No branch was checked out before.' }
          : {
              kind: 'call',
              toolName: name,
              input: { repo: folder, branch: before },
              sentence: `${named(folder)} goes back to ${named(before)}.`,
            },
      basis: { branch: before ?? 'none' },
    }
  },
  ending: ({ repo, branch }) => ({
    look: `git status in ${named(repo)} shows whether ${named(branch)} is checked out.`,
  }),
  timeoutMs: 120_000,
  input: z.strictObject({ repo: Repo, branch: BranchName, create: z.boolean().default(false) }),
  output: z.object({ branch: z.string() }),
  async run({ repo: folder, branch, create }, { signal, sessionId }, ports) {
    const repo = opened(folder, ports, sessionId, signal)
    await requireNoFilters(repo)
    await repo.text(
      ['switch', '--quiet', '--no-guess', '--no-recurse-submodules', ...(create ? ['--create'] : []), branch],
      { isWritable: true },
    )
    return { text: `On ${branch}.`, summary: `on ${branch}`, data: { branch } }
  },
})

/** Refuses a branch with another content of what nothing may change. @throws Mistake, JarvisError `conflict` */
async function requireNoneStays({ run, stays }: Opened, branch: string): Promise<void> {
  const told = ['--name-only', '-z']
  const ofBranch = `refs/heads/${branch}`
  const differing = await run(['diff', ...told, '--no-renames', '--no-ext-diff', 'HEAD', ofBranch, '--'])
  // Before the first commit there is nothing to compare with.
  const { exitCode, text, isCut, said } =
    differing.exitCode === 0 ? differing : await run(['ls-tree', '-r', ...told, ofBranch])
  if (exitCode !== 0) throw new JarvisError('conflict', `Git refused: ${oneLine(said, 500)}`)
  if (isCut) throw new Mistake(`branch: more files of ${named(branch)} differ than can be looked at.`)
  for (const path of text.split('\0').filter((one) => one !== '')) {
    const why = stays(path)
    if (why !== undefined)
      throw new Mistake(`branch: ${named(branch)} would change ${quoted(path, 200)}, which ${why}.`)
  }
}
