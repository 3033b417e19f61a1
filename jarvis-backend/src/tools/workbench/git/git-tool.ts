import { leadsOut } from 'node-kit/leads-out'
import { JarvisError } from 'protocol'
import { z } from 'zod'
import { type Place, placeOf, type Root } from '../../../gate/index.ts'
import { oneLine } from '../../../homelab/format.ts'
import { rootName } from '../../../workbench/files/root-of.ts'
import type { RootAt } from '../../../workbench/files/walk.ts'
import type { Git, GitEnd, GitOptions } from '../../../workbench/git/git.ts'
import { repositoryAt } from '../../../workbench/git/repository.ts'
import type { MakeScratch } from '../../../workbench/scratch.ts'
import { toolOver } from '../../tool.ts'

export type GitPorts = {
  git: Git
  /** Makes a folder outside the repository for the duration of a call. */
  scratch: MakeScratch
  roots(): readonly Root[]
  /** @throws JarvisError `not_found` */
  rootOf(name: string): RootAt
  /** The reason why a place may be neither read nor changed; undefined if it may. */
  closed(place: Place): string | undefined
  /** The reason why a place may not be changed even if a person approves, as the end of a sentence; undefined if a person may be asked. */
  stays(place: Place): string | undefined
}

/** A tool over the repositories in the roots. */
export const gitTool = toolOver<GitPorts>()

export const Repo = z
  .string()
  .min(1)
  .max(1_000)
  .describe('ROOT or ROOT/PATH of the repository’s folder, such as compose.')

/** A repository that a call names, with git run in its folder. */
export interface Opened {
  run(args: readonly string[], options?: GitOptions): Promise<GitEnd>
  /** Returns the names of the programs that the repository configures as filters. */
  filters(): Promise<string[]>
  /** The reason why a path of the repository may not be read; undefined if it may. */
  closed(path: string): string | undefined
  /** Tells if a link at a path of the repository could lead out of the root. */
  leadsOut(path: string, to: string): boolean
  /** The reason why a path of the repository may not be changed; undefined if it may. */
  stays(path: string): string | undefined
  /** Runs git and returns its output. @throws JarvisError `conflict` with git's words if it refused */
  text(args: readonly string[], options?: GitOptions): Promise<string>
}

/** Opens the repository that a call names. @throws JarvisError */
export function opened(
  repo: string,
  { git, roots, rootOf, closed, stays }: GitPorts,
  { sessionId, signal }: { sessionId: string | undefined; signal: AbortSignal },
): Opened {
  const place = placeOf(repo, roots())
  const folder = repositoryAt(rootOf(rootName(place, sessionId)), place.path)
  const run = (args: readonly string[], options?: GitOptions): Promise<GitEnd> =>
    git.run(folder, args, { signal, ...options })
  const inRoot = (path: string) => (place.path === '' ? path : `${place.path}/${path}`)
  return {
    run,
    filters: () => git.filters(folder, signal),
    closed: (path: string) => closed({ ...place, path: inRoot(path) }),
    leadsOut: (path: string, to: string) => leadsOut(inRoot(path), to),
    stays: (path: string) => stays(placeOf(`${repo}/${path}`, roots())),
    async text(args: readonly string[], options?: GitOptions): Promise<string> {
      const end = await run(args, options)
      if (end.exitCode !== 0) throw new JarvisError('conflict', `Git refused: ${oneLine(end.said, 500)}`)
      return end.text
    },
  }
}

/** The branch that is checked out; undefined if none is. */
export const branchOf = async ({ run }: Opened): Promise<string | undefined> => {
  const { exitCode, text } = await run(['symbolic-ref', '--quiet', '--short', 'HEAD'])
  return exitCode === 0 ? text.trim() : undefined
}

/**
 * Refuses a change in a repository that configures filter programs. Git would run such a program, or skip it and write other bytes. @throws
 * JarvisError `conflict`
 */
export async function requireNoFilters({ filters }: Opened): Promise<void> {
  const names = await filters()
  if (names.length > 0)
    throw new JarvisError(
      'conflict',
      `The repository changes files by programs (${oneLine(names.join(', '), 100)}), and JARVIS runs no program of a repository. Do this by hand.`,
    )
}
