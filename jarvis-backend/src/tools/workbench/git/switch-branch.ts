import { JarvisError } from 'protocol'
import { named, quoted } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../../gate/effect.ts'
import { pathEffect } from '../../../gate/index.ts'
import { oneLine } from '../../../homelab/format.ts'
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
    pathEffect(
      {
        kind: 'data',
        path: repo,
        sentence: `${named(repo)} ${create ? 'gets a new branch' : 'goes to the branch'} ${named(branch)}${create ? '' : ', and its files become those of the branch'}.`,
        deed: create ? 'make this branch' : 'switch to this branch',
      },
      world,
    ),
  ],
  async prepare({ repo: folder, branch, create }, { signal, sessionId }, ports) {
    const repo = opened(folder, ports, { sessionId, signal })
    await requireNoFilters(repo)
    const before = await branchOf(repo)
    const isThere = (await repo.run(['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])).exitCode === 0
    if (create && isThere) throw new Mistake(`branch: ${named(branch)} is there already.`)
    if (!create && !isThere) throw new Mistake(`branch: there is no branch ${named(branch)}; create: true makes it.`)
    if (before === branch) throw new Mistake(`branch: ${named(branch)} is checked out already.`)
    if (!create) await requireMayCome(repo, branch)
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
  async run({ repo: folder, branch, create }, { signal, onProgress, sessionId }, ports) {
    const repo = opened(folder, ports, { sessionId, signal })
    await requireNoFilters(repo)
    // Somebody may have committed to the branch since the call was judged.
    if (!create) await requireMayCome(repo, branch)
    onProgress(`Switching to ${quoted(branch, 120)}`)
    await repo.text(
      ['switch', '--quiet', '--no-guess', '--no-recurse-submodules', ...(create ? ['--create'] : []), branch],
      { isWritable: true },
    )
    return { text: `On ${branch}.`, summary: `on ${branch}`, data: { branch } }
  },
})

const mostLinks = 200
const linkMode = '120000'

/**
 * Refuses a branch if it changes a file that JARVIS must never change, or if it brings a link that may lead out of the root.
 * @throws Mistake, JarvisError `conflict`
 */
async function requireMayCome(repo: Opened, branch: string): Promise<void> {
  const coming = await filesOf(repo, branch)
  for (const { path } of coming) {
    const why = repo.stays(path)
    if (why !== undefined)
      throw new Mistake(`branch: ${named(branch)} would change ${quoted(path, 200)}, which ${why}.`)
  }
  const links = coming.filter(({ mode }) => mode === linkMode)
  if (links.length > mostLinks)
    throw new Mistake(`branch: ${named(branch)} brings more than ${mostLinks} links. Switch to it by hand.`)
  for (const { path, blob } of links)
    if (repo.leadsOut(path, await repo.text(['cat-file', 'blob', blob])))
      throw new Mistake(`branch: ${named(branch)} brings ${quoted(path, 200)}, a link that may lead out of the root.`)
}

/** A file that the switch to a branch adds, changes or removes. `mode` and `blob`: as on the branch. */
type Coming = { mode: string; blob: string; path: string }

async function filesOf({ run }: Opened, branch: string): Promise<Coming[]> {
  const ofBranch = `refs/heads/${branch}`
  const asked = ['diff', '--raw', '--no-abbrev', '-z', '--no-renames', '--no-ext-diff', 'HEAD', ofBranch, '--']
  const differing = await run(asked)
  // Before the first commit there is nothing to compare with, so all files of the branch are listed.
  const { exitCode, text, isCut, said } =
    differing.exitCode === 0 ? differing : await run(['ls-tree', '-r', '-z', ofBranch])
  if (exitCode !== 0) throw new JarvisError('conflict', `Git refused: ${oneLine(said, 500)}`)
  if (isCut) throw new Mistake(`branch: more files of ${named(branch)} differ than can be looked at.`)
  const form =
    differing.exitCode === 0
      ? /:\d+ (?<mode>\d+) [0-9a-f]+ (?<blob>[0-9a-f]+) \w+\0(?<path>[^\0]+)\0/g
      : /(?<=^|\0)(?<mode>\d{6}) [a-z]{1,10} (?<blob>[0-9a-f]{40,64})\t(?<path>[^\0]+)\0/g
  return [...text.matchAll(form)].map(({ groups }) => groups as Coming)
}
