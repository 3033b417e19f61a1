import { realpathSync } from 'node:fs'
import { nameReason } from 'ssh-grammar/secret-paths'
import { isWithin } from '../gate/index.ts'
import { kernelFolder } from '../gate/policy/workbench.ts'
import { rootProblem } from './root-problem.ts'

/**
 * Returns the reason why a folder may not become a root; undefined if it may. Both the named path and the path with links resolved are checked.
 * @param ownPaths JARVIS's own files and folders, absolute
 */
export function rootRefusal(path: string, ownPaths: readonly string[]): string | undefined {
  const problem = rootProblem(path)
  if (problem !== undefined) return problem
  const real = realpathSync(path)
  const leads = real === path ? '' : `, where ${path} leads,`
  if (real === '/') return `${real}${leads} is the whole machine: name the folders that JARVIS should work in.`
  const kernel = kernelFolder(real)
  if (kernel !== undefined) return `${real}${leads} is in ${kernel}, which holds no files to work on.`
  if ([path, real].some((at) => ownPaths.some((own) => isWithin(at, own))))
    return `${real}${leads} is JARVIS’s own: its data, its policy and its settings are in no root. Choose a folder beside it.`
  const secret = nameReason(path) ?? nameReason(real)
  return secret === undefined ? undefined : `${secret} Choose another folder.`
}
