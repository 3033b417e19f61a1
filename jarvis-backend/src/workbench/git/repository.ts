import { lstatSync, readlinkSync } from 'node:fs'
import { JarvisError } from 'protocol'
import { type RootAt, within } from '../files/walk.ts'

/**
 * The folder of a repository on the host. No part of the path may be a link. `.git` must be a folder, because a file `.git`, as in a submodule or a
 * second work tree, leads to another folder.
 * @param path relative to the root @throws JarvisError `not_found`, `invalid_request`
 */
export function repositoryAt(root: RootAt, path: string): string {
  const shown = path === '' ? root.name : `${root.name}/${path}`
  const folder = within(root, path === '' ? '.git' : `${path}/.git`, ({ dir }) => {
    const stat = lstatSync(`${dir}/.git`, { throwIfNoEntry: false })
    if (stat === undefined) return undefined
    if (!stat.isDirectory())
      throw new JarvisError(
        'invalid_request',
        `The .git of ${shown} leads to another folder. JARVIS works in repositories whose .git is a folder.`,
      )
    return readlinkSync(dir)
  })
  if (folder === undefined) throw new JarvisError('not_found', `${shown} is no repository: it holds no .git.`)
  return folder
}
