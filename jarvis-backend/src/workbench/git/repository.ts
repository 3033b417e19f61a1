import { lstatSync, readlinkSync } from 'node:fs'
import { JarvisError } from 'protocol'
import { type RootAt, within } from '../files/walk.ts'

/**
 * The folder of a repository, as it is on this machine. No part of the way may be a link, and `.git` must be a folder of its own: a file of that
 * name, as a submodule or a second work tree has, leads elsewhere.
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
